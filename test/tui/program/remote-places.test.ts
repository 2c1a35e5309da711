import { copyFile, readFile, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { httpPeer, listening, unusedPort } from "../../client/peer.js";
import { type CliOptions, runCli } from "../../support/cli.js";
import { CREDENTIALS, DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { DEV_HEADERS } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import {
  developmentProfile,
  hasFailed,
  isWell,
  openPlace,
  profileFolder,
  type RemoteProgram,
  remoteProgram,
} from "../support/tui.js";

const TEST_CREDENTIALS = { api_key: "test-key", api_secret: "test-secret" };

async function withProfiles(profiles: Record<string, Record<string, unknown>>, flags = {}) {
  const folder = await profileFolder(profiles);
  const program = await remoteProgram(flags, { config: folder.path });
  return { folder, program };
}

describe("profiles", () => {
  it("are the places, and the chosen one is open", async () => {
    const { url } = await runningServer();
    const profiles = {
      staging: developmentProfile(url),
      test: developmentProfile(url, TEST_CREDENTIALS),
    };
    const { program } = await withProfiles(profiles, { profile: "test" });
    await program.until(isWell);
    expect(program.frame()).toMatch(/Profiles[\s\S]* staging [\s\S]*● test /);
    expect(program.frame()).toMatch(/appvars {2}test/);
    expect(program.frame()).toMatch(/› ?● test/);
    program.press("v");
    expect(program.frame()).toContain("postgres://localhost/test");
  });

  it("are opened with the keys, and nothing of the previous one remains", async () => {
    const { url } = await runningServer();
    const { program } = await withProfiles({
      staging: developmentProfile(url),
      test: developmentProfile(url, TEST_CREDENTIALS),
    });
    await program.until(isWell);
    program.press("V");
    expect(program.frame()).toContain("postgres://localhost/dev");
    program.press("h", "j", "enter");
    expect(program.frame()).not.toContain("postgres");
    await program.until(isWell);
    expect(program.frame()).toMatch(/›● test/);
    expect(program.frame()).not.toContain("postgres");
    program.press("v");
    expect(program.frame()).toContain("postgres://localhost/test");
  });

  it("work beside a broken one, which reports its problem", async () => {
    const { url } = await runningServer();
    const { program } = await withProfiles({
      odd: { color: "red", api_secret: "hunter2" },
      bare: { url, api_key: "dev-key" },
      good: developmentProfile(url),
      file: { data: "/nowhere/vars.json" },
    });
    await program.until(() => program.reading.failure !== undefined);
    expect(program.frame()).toContain('✗ "color" of profile odd is not a setting');
    expect(program.frame()).not.toMatch(/hunter2|trying again/);
    await openPlace(program, "bare");
    expect(program.frame()).toContain("✗ profile bare: no API secret");
    await openPlace(program, "good");
    expect(program.names).toContain("DATABASE_URL");
    expect(program.frame()).not.toMatch(/✗ \w/);
    await openPlace(program, "file");
    expect(program.frame()).toContain("/nowhere/vars.json can't be read");
  });

  it("can be edited with a data file, and say why not with a server", async () => {
    const { url } = await runningServer();
    const { path } = await dataFile(DATA);
    const { program } = await withProfiles({
      server: developmentProfile(url),
      file: { data: path, env: "shop/test" },
    });
    await program.until(isWell);
    for (const key of ["e", "a", "x"]) {
      program.press("escape", key);
      expect(program.frame()).toContain(
        "✗ server is read-only: the variables of a server can't be edited here",
      );
      expect(program.title()).toBe("Variables");
    }
    await openPlace(program, "file");
    expect(program.reading.isEditable).toBe(true);
    program.press("x");
    await program.shows(/▶ Delete/);
    program.press("enter");
    await program.until(
      (state) => state.stack.length === 0 && program.reading.entries[0]?.value === undefined,
    );
    expect(await readFile(path, "utf8")).not.toContain("postgres://localhost/test");
  });

  it("name their environment by its key, or by application and name once a data file is open", async () => {
    const { url } = await runningServer();
    const { path } = await dataFile(DATA);
    const profiles = { remote: developmentProfile(url), local: { data: path, env: "test" } };
    const { program } = await withProfiles(profiles);
    await program.until(isWell);
    expect(program.frame()).toMatch(
      /^ appvars {2}remote {2}profile {2}key dev-key {2}read-only {2}http:/,
    );
    await openPlace(program, "local");
    expect(program.frame()).toMatch(/^ appvars {2}local {2}profile {2}shop\/test {2}/);
  });

  it("report refused credentials, which are not retried automatically", async () => {
    const statuses: number[] = [];
    const { url } = await runningServer({ onRequest: ({ status }) => statuses.push(status) });
    const refused = developmentProfile(url, { api_secret: "hunter2-wrong" });
    const { program, folder } = await withProfiles({ staging: refused });
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ profile staging: the server refused the credentials");
    expect(program.frame()).toContain("appvars profile add staging --force");
    expect(program.frame()).not.toContain("hunter2");
    for (let minute = 0; minute < 10; minute++) program.pass(60);
    program.press("r");
    await program.until(hasFailed);
    expect(statuses).toEqual([401, 401]);
    await folder.write({ staging: developmentProfile(url) });
    program.press("r");
    await program.until(isWell);
    expect(program.names).toHaveLength(7);
    expect(program.frame()).not.toContain("✗");
  });

  it("can be retried after they were fixed on the disk", async () => {
    const { url } = await runningServer();
    const { program, folder } = await withProfiles({
      staging: developmentProfile(`http://127.0.0.1:${await unusedPort()}`),
    });
    await program.until(hasFailed);
    await folder.write({ staging: developmentProfile(url) });
    program.press("r");
    await program.until(isWell);
    expect(program.names).toHaveLength(7);
  });

  it("report credentials that are refused later above the last list", async () => {
    const { path, write } = await dataFile(DATA);
    const { url } = await runningServer({ data: path });
    const { program } = await withProfiles({ staging: developmentProfile(url) });
    await program.until(isWell);
    await write(edited((data) => (data.environments[0].api_secret = "another")));
    await expect
      .poll(async () => (await fetch(`${url}/v1/variables`, { headers: DEV_HEADERS })).status, {
        timeout: 10_000,
      })
      .toBe(401);
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toContain(
      "✗ profile staging: the server refused the credentials; r tries again",
    );
    expect(program.names).toHaveLength(7);
    expect(program.reading.nextAt).toBeUndefined();
  });
});

describe("a comparison", () => {
  it("with another profile shows both sides masked", async () => {
    const { url } = await runningServer();
    const { program } = await withProfiles({
      staging: developmentProfile(url),
      test: developmentProfile(url, TEST_CREDENTIALS),
    });
    await program.until(isWell);
    program.press("d");
    if (program.frame().includes("Compare ")) program.press("enter");
    await program.shows(/▶ \S+ → \S+ {2}\d\/\d/);
    // The variable that is selected in the list is selected here.
    expect(program.frame()).toMatch(/›~ DATABASE_URL +•+ +•+/);
    expect(program.frame()).toMatch(/- PORT +•+ +\(missing\)/);
    program.press("v");
    expect(program.frame()).toMatch(/postgres:\/\/localhost\/dev +postgres:\/\/localhost\/test/);
  });

  it("that failed says why, and works after its profile was fixed", async () => {
    const { url } = await runningServer();
    const good = developmentProfile(url, TEST_CREDENTIALS);
    const staging = developmentProfile(url);
    const { program, folder } = await withProfiles({
      staging,
      test: { ...good, api_secret: "hunter2-wrong" },
    });
    await program.until(isWell);
    program.press(":", ..."diff test", "enter");
    await program.shows(/r tries again/);
    expect(program.frame()).toContain("✗ profile test: the server refused the credentials");
    expect(program.frame()).not.toContain("hunter2");
    await folder.write({ staging, test: good });
    program.press("r");
    await program.shows(/▶ \S+ → \S+ {2}\d\/\d/);
    expect(program.frame()).toContain("~ DATABASE_URL");
    program.press("escape");
    expect(program.reading).toMatchObject({ failure: undefined, isComplete: true });
  });

  it("follows both servers", async () => {
    const { path, write } = await dataFile(DATA);
    const { url } = await runningServer({ data: path });
    const { program } = await withProfiles({
      staging: developmentProfile(url),
      test: developmentProfile(url, TEST_CREDENTIALS),
    });
    await program.until(isWell);
    program.press(":", ..."diff test", "enter");
    await program.shows(/- PORT +•+ +\(missing\)/);
    await write(
      edited((data) =>
        data.values.push({ id: 999, variable_id: 2, environment_id: 2, content: { value: 1 } }),
      ),
    );
    await program.tickUntil(/~ PORT +•+ +•+/);
  });

  it("with a hanging server can be closed", async () => {
    let release = () => {};
    const hanging = await httpPeer((_req, res) => {
      release = () => void res.writeHead(500).end();
    });
    const { url } = await runningServer();
    const { program } = await withProfiles({
      staging: developmentProfile(url),
      slow: developmentProfile(hanging.url, TEST_CREDENTIALS),
    });
    await program.until(isWell);
    program.press(":", ..."diff slow", "enter");
    await expect.poll(() => hanging.sockets.length).toBe(1);
    expect(program.frame()).toContain("reading slow…");
    program.press("escape", "j");
    expect(program.frame()).toMatch(/▶ Variables 2\//);
    // Its request is cancelled, so repeated opening leaves no requests behind.
    await expect.poll(() => hanging.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    release();
    program.press("r");
    await program.until(isWell);
    expect(program.frame()).not.toMatch(/✗ \w/);
  });
});

describe("a command that is copied prints the value, and contains no secret,", () => {
  /** Copies the command for DATABASE_URL, and runs it. */
  async function expectPrinted(program: RemoteProgram, options: CliOptions): Promise<void> {
    await program.until(isWell);
    program.press("Y", "j", "j", "j", "j", "enter");
    await program.shows(/copied the command for DATABASE_URL/);
    const [command = ""] = program.copied;
    expect(command).not.toMatch(/dev-secret|hunter2|['"\\]/);
    // The command begins with `env -u NAME`, which removes variables of the shell.
    const words = command.split(" ");
    const at = words.indexOf("appvars");
    const env = Object.entries(options.env ?? {}).filter(
      ([name]) => !words.slice(0, at).includes(name),
    );
    const printed = await runCli(words.slice(at + 1), { ...options, env: Object.fromEntries(env) });
    expect(printed).toEqual({ code: 0, stdout: "postgres://localhost/dev\n", stderr: "" });
  }

  it("for a profile with any environment variables set", async () => {
    const { url } = await runningServer();
    const { path: config } = await profileFolder({ staging: developmentProfile(url) });
    const env = {
      APPVARS_URL: "http://127.0.0.1:1",
      APPVARS_API_KEY: "other",
      APPVARS_API_SECRET: "hunter2",
    };
    const program = await remoteProgram({}, { config, env });
    await openPlace(program, "staging");
    await expectPrinted(program, { config, env });
  });

  it("for a server from flags and variables", async () => {
    const { url } = await runningServer();
    await expectPrinted(await remoteProgram({ url }, { env: CREDENTIALS }), { env: CREDENTIALS });
  });

  it("for a TLS server from .appvars.json, in any folder", async () => {
    const { url } = await tlsServer();
    const cwd = await temporaryFolder();
    await copyFile(CERTIFICATE, join(cwd, "ca.pem"));
    const project = { url: url.origin, api_key: "dev-key", ca_file: "ca.pem" };
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify(project));
    const env = { APPVARS_API_SECRET: "dev-secret" };
    const program = await remoteProgram({}, { env: { ...env, APPVARS_ALLOW_PROJECT: "1" }, cwd });
    await expectPrinted(program, { env, cwd: "/" });
  });
});

const tlsFixture = (name: string) =>
  fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));
const CERTIFICATE = tlsFixture("certificate.pem");

/** A TLS proxy for a server. */
async function tlsServer() {
  const { port } = await runningServer();
  const [key, cert] = await Promise.all([readFile(tlsFixture("key.pem")), readFile(CERTIFICATE)]);
  const server = createServer({ key, cert }, ({ url = "", headers }, res) => {
    get({ host: "127.0.0.1", port, path: url, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
  });
  return listening(server, "https");
}
