import { copyFile, readFile, symlink, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { httpPeer, listening, unusedPort } from "../../client/peer.js";
import { runScript } from "../../support/binary.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { DEV_HEADERS } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import {
  developmentProfile,
  hasFailed,
  isWell,
  profileFolder,
  type RemoteProgram,
  remoteProgram,
} from "../support/remote-program.js";

const TEST_CREDENTIALS = { api_key: "test-key", api_secret: "test-secret" };

async function withProfiles(profiles: Record<string, Record<string, unknown>>, flags = {}) {
  const folder = await profileFolder(profiles);
  const program = await remoteProgram(flags, { config: folder.path });
  return { folder, program };
}

/** Opens a place by its name. */
async function open(program: RemoteProgram, name: string): Promise<void> {
  const { generation } = program.state.loaded;
  program.press(":", ..."open ", ...name, "enter");
  await program.until((state) => state.loaded.generation > generation && (isWell(state) || hasFailed(state)));
}

describe("profiles", () => {
  it("profiles are the places, and the chosen one is open", async () => {
    const { url } = await runningServer();
    const profiles = { staging: developmentProfile(url), test: developmentProfile(url, TEST_CREDENTIALS) };
    const { program } = await withProfiles(profiles, { profile: "test" });
    await program.until(isWell);
    expect(program.state.places.map(({ name, kind }) => [name, kind])).toEqual([
      ["staging", "profile"],
      ["test", "profile"],
    ]);
    expect(program.frame()).toMatch(/appvars {2}test/);
    expect(program.frame()).toMatch(/› ?● test/);
    program.press("v");
    expect(program.frame()).toContain("postgres://localhost/test");
  });

  it("profiles are opened with the keys, and nothing of the previous one stays", async () => {
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
    expect(program.state.place).toBe(1);
    expect(program.frame()).not.toContain("postgres");
    program.press("v");
    expect(program.frame()).toContain("postgres://localhost/test");
  });

  it("a broken profile reports its problem, and the others work", async () => {
    const { url } = await runningServer();
    const { program } = await withProfiles({
      odd: { color: "red", api_secret: "hunter2" },
      bare: { url, api_key: "dev-key" },
      good: developmentProfile(url),
      file: { data: "/nowhere/vars.json" },
    });
    await program.until((state) => state.loaded.failure !== undefined);
    expect(program.frame()).toContain('✗ "color" of profile odd is not a setting');
    expect(program.frame()).not.toMatch(/hunter2|trying again/);
    await open(program, "bare");
    expect(program.frame()).toContain("✗ profile bare: no API secret");
    await open(program, "good");
    expect(program.names).toContain("DATABASE_URL");
    expect(program.frame()).not.toMatch(/✗ \w/);
    await open(program, "file");
    expect(program.frame()).toContain("/nowhere/vars.json can't be read");
  });

  it("profiles with a data file can be edited, those with a server say why not", async () => {
    const { url } = await runningServer();
    const { path } = await dataFile(DATA);
    const { program } = await withProfiles({
      server: developmentProfile(url),
      file: { data: path, env: "shop/test" },
    });
    await program.until(isWell);
    for (const key of ["e", "a", "x"]) {
      program.press("escape", key);
      expect(program.frame()).toContain("✗ the variables of a server can't be edited here");
      expect(program.state.mode.kind).toBe("browse");
    }
    await open(program, "file");
    expect(program.state.loaded.isEditable).toBe(true);
    program.press("x");
    await program.until(({ mode }) => mode.kind === "confirm");
    program.press("enter");
    await program.until(({ mode, loaded }) => mode.kind === "browse" && loaded.entries[0]?.value === undefined);
    expect(await readFile(path, "utf8")).not.toContain("postgres://localhost/test");
  });

  it("a profile names its environment: by the key, and once a data file is open by application and name", async () => {
    const { url } = await runningServer();
    const { path } = await dataFile(DATA);
    const profiles = { remote: developmentProfile(url), local: { data: path, env: "test" } };
    const { program } = await withProfiles(profiles);
    await program.until(isWell);
    expect(program.frame()).toMatch(/^ appvars {2}remote {2}profile {2}key dev-key {2}http:/);
    await open(program, "local");
    expect(program.frame()).toMatch(/^ appvars {2}local {2}profile {2}shop\/test {2}/);
  });

  it("refused credentials are reported for their profile and not retried automatically", async () => {
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

  it("a profile that was fixed on the disk can be tried again", async () => {
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

  it("credentials that are refused later are reported above the last list", async () => {
    const { path, write } = await dataFile(DATA);
    const { url } = await runningServer({ data: path });
    const { program } = await withProfiles({ staging: developmentProfile(url) });
    await program.until(isWell);
    await write(edited((data) => (data.environments[0].api_secret = "another")));
    await expect
      .poll(async () => (await fetch(`${url}/v1/variables`, { headers: DEV_HEADERS })).status, { timeout: 10_000 })
      .toBe(401);
    program.pass(5);
    await program.until(hasFailed);
    expect(program.frame()).toContain("✗ profile staging: the server refused the credentials; r tries again");
    expect(program.names).toHaveLength(7);
    expect(program.state.loaded.nextAt).toBeUndefined();
  });
});

describe("a comparison", () => {
  it("a comparison with another profile shows both sides masked", async () => {
    const { url } = await runningServer();
    const { program } = await withProfiles({
      staging: developmentProfile(url),
      test: developmentProfile(url, TEST_CREDENTIALS),
    });
    await program.until(isWell);
    program.press("d");
    if (program.state.mode.kind === "pick") program.press("enter");
    await program.until(({ mode }) => mode.kind === "diff" && mode.phase === "ready");
    expect(program.frame()).toMatch(/~ DATABASE_URL +•+ +•+/);
    expect(program.frame()).toMatch(/- PORT +•+ +\(missing\)/);
    program.press("v");
    expect(program.frame()).toMatch(/postgres:\/\/localhost\/dev +postgres:\/\/localhost\/test/);
  });

  it("a failed comparison says why, and works after its profile was fixed", async () => {
    const { url } = await runningServer();
    const good = developmentProfile(url, TEST_CREDENTIALS);
    const staging = developmentProfile(url);
    const { program, folder } = await withProfiles({ staging, test: { ...good, api_secret: "hunter2-wrong" } });
    await program.until(isWell);
    program.press(":", ..."diff test", "enter");
    await program.until(({ mode }) => mode.kind === "diff" && mode.phase === "failed");
    expect(program.frame()).toContain("✗ profile test: the server refused the credentials");
    expect(program.frame()).not.toContain("hunter2");
    await folder.write({ staging, test: good });
    program.press("r");
    await program.until(({ mode }) => mode.kind === "diff" && mode.phase === "ready");
    expect(program.frame()).toContain("~ DATABASE_URL");
    program.press("escape");
    expect(program.state.loaded).toMatchObject({ failure: undefined, isComplete: true });
  });

  it("a comparison with a hanging server can be closed", async () => {
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
    expect(program.state).toMatchObject({ mode: { kind: "browse" }, list: { cursor: 1 } });
    // Its request is cancelled: opening it again and again leaves no others behind.
    await expect.poll(() => hanging.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    release();
    program.press("r");
    await program.until(isWell);
    expect(program.frame()).not.toMatch(/✗ \w/);
  });
});

describe("a command that is copied", () => {
  it("a copied command prints the value in a shell, for a profile whatever the environment says", async () => {
    const { url } = await runningServer();
    const folder = await profileFolder({ staging: developmentProfile(url) });
    const env = { APPVARS_URL: "http://127.0.0.1:1", APPVARS_API_KEY: "other", APPVARS_API_SECRET: "hunter2" };
    const program = await remoteProgram({}, { config: folder.path, env });
    await open(program, "staging");
    const command = await copiedCommand(program);
    const { stdout, stderr } = await runCopied(command, { ...env, XDG_CONFIG_HOME: await configHome(folder.path) });
    expect([stdout, stderr]).toEqual(["postgres://localhost/dev\n", ""]);
    expect(command).not.toMatch(/hunter2|dev-secret/);
  });

  it("a copied command prints the value in a shell, for a server from flags and variables", async () => {
    const { url } = await runningServer();
    const env = { APPVARS_API_KEY: "dev-key", APPVARS_API_SECRET: "dev-secret" };
    const program = await remoteProgram({ url }, { env });
    await program.until(isWell);
    const command = await copiedCommand(program);
    expect(await runCopied(command, env)).toMatchObject({ code: 0, stdout: "postgres://localhost/dev\n" });
    expect(command).not.toContain("dev-secret");
  });

  it("a copied command prints the value in any folder, for a TLS server from .appvars.json", async () => {
    const { url } = await tlsServer();
    const cwd = await temporaryFolder();
    await copyFile(TLS.cert, join(cwd, "ca.pem"));
    const project = { url: url.origin, api_key: "dev-key", ca_file: "ca.pem" };
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify(project));
    const env = { APPVARS_API_SECRET: "dev-secret" };
    const program = await remoteProgram({}, { env: { ...env, APPVARS_ALLOW_PROJECT: "1" }, cwd });
    await program.until(isWell);
    const command = await copiedCommand(program);
    for (const folder of [cwd, "/"]) {
      const printed = await runCopied(`cd ${folder}; ${command}`, env);
      expect(printed).toMatchObject({ code: 0, stdout: "postgres://localhost/dev\n" });
    }
    expect(command).not.toContain("dev-secret");
  });

  async function copiedCommand(program: RemoteProgram): Promise<string> {
    program.press("Y", "j", "j", "j", "j", "enter");
    await program.until(() => program.copied.length > 0);
    return program.copied[0] ?? "";
  }

  /** A program, since `env` can't run a function of the shell. */
  async function runCopied(command: string, env: Record<string, string>) {
    const bin = await temporaryFolder();
    const script = `#!/bin/sh\nexec "$NODE" "$BINARY" "$@"\n`;
    await writeFile(join(bin, "appvars"), script, { mode: 0o755 });
    return runScript(`unset -f appvars; PATH="${bin}:$PATH"; ${command}`, env);
  }
});

const TLS = {
  key: fileURLToPath(new URL("../../support/tls/key.pem", import.meta.url)),
  cert: fileURLToPath(new URL("../../support/tls/certificate.pem", import.meta.url)),
};

/** A TLS proxy for a server. */
async function tlsServer() {
  const { port } = await runningServer();
  const [key, cert] = await Promise.all([readFile(TLS.key), readFile(TLS.cert)]);
  const server = createServer({ key, cert }, ({ url = "", headers }, res) => {
    get({ host: "127.0.0.1", port, path: url, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
  });
  return listening(server, "https");
}

/** A config folder with these profiles. */
async function configHome(profiles: string): Promise<string> {
  const home = await temporaryFolder();
  await symlink(profiles, join(home, "appvars"));
  return home;
}
