import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quickComplete } from "../../../src/cli/completion/quick-complete.js";
import type { Io } from "../../../src/cli/output/io.js";
import { tcpPeer } from "../../client/peer.js";
import { type CliOptions, runWith } from "../../support/cli.js";
import { DATA, DEVELOPMENT } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const CREDENTIALS = { APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };
const NOTHING = { code: 0, stdout: "", stderr: "" };

/** What is offered after these words. */
function complete(kind: string, prefix: string, words: readonly string[], options: CliOptions = {}) {
  return runWith((io) => quickComplete(["__complete", kind, prefix, ...words], io), options);
}

/** A server with this listener. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function pageOf(data: object[]): string {
  return JSON.stringify({ metadata: { limit: 1_000, offset: 0, total: data.length }, data });
}

/** A page with one of `total` variables. */
function onePageOf(total: number, target: string): string {
  const offset = Number(new URL(target, "http://a").searchParams.get("offset"));
  const data = [{ id: offset + 1, type: "STRING", name: `A${offset}`, description: "" }];
  return JSON.stringify({ metadata: { limit: 1, offset, total }, data });
}

describe("it finds", () => {
  it("__complete prints the variables of a server that begin with the prefix, with descriptions", async () => {
    const { url } = await runningServer();
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS } };
    const stdout = "DATABASE_URL\tPrimary database\nDEBUG\t\n";
    expect(await complete("names", "D", ["get"], world)).toEqual({ code: 0, stdout, stderr: "" });
    expect((await complete("names", "", ["get"], world)).stdout.split("\n")).toHaveLength(8);
  });

  it("__complete uses the server that the flags on the line select", async () => {
    const { url } = await runningServer();
    for (const words of [
      ["get", "--url", url, "--api-key", DEVELOPMENT.apiKey],
      ["get", "PORT", "-n", `--url=${url}`, "--nope", `--api-key=${DEVELOPMENT.apiKey}`, "--"],
    ]) {
      const { stdout } = await complete("names", "DA", words, { env: { APPVARS_API_SECRET: DEVELOPMENT.apiSecret } });
      expect(stdout).toBe("DATABASE_URL\tPrimary database\n");
    }
  });

  it("__complete reads all pages of a server", async () => {
    const environments = [{ id: 1, name: "test", api_key: "dev-key", api_secret: "dev-secret" }];
    const variables = Array.from({ length: 1_001 }, (_, i) => ({ id: i + 1, type: "STRING", name: `V${i}` }));
    const { path } = await dataFile({ version: 1, environments, variables, values: [] });
    const { serve } = await import("../../../src/serve.js");
    const server = await serve({ data: path, port: 0 });
    onTestFinished(() => server.close());
    const { stdout } = await complete("names", "V1000", [], { env: { APPVARS_URL: server.url, ...CREDENTIALS } });
    expect(stdout).toBe("V1000\t\n");
  });

  it("__complete prints the variables in a data file, of one application with --env", async () => {
    const { path } = await dataFile(DATA);
    const find = async (...words: string[]) => (await complete("names", "D", words)).stdout;
    expect(await find("get", "--data", path, "--env", "billing/development")).toBe("DATABASE_URL\tLedger\n");
    expect(await find("get", "--data", path)).toMatch(/^DATABASE_URL\t.*\nDEBUG\t\n$/);
  });

  it("__complete expands ~ in the path of a data file", async () => {
    const home = await temporaryFolder();
    await writeFile(join(home, "vars.json"), JSON.stringify(DATA));
    const { stdout } = await complete("file-names", "PO", ["set", "--data=~/vars.json"], { env: { HOME: home } });
    expect(stdout).toBe("PORT\tWhere it listens\n");
  });

  it("__complete prints environments, with the application where the name is ambiguous", async () => {
    const { path } = await dataFile(DATA);
    const { stdout } = await complete("environments", "", ["get"], { env: { APPVARS_DATA: path } });
    expect(stdout).toBe("shop/development\tshop\ntest\tshop\nproduction\tshop\nbilling/development\tbilling\n");
  });
});

describe("it finds profiles", () => {
  async function withProfiles(profiles: object): Promise<CliOptions> {
    const config = await temporaryFolder();
    await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, profiles }));
    return { config };
  }

  it("__complete prints profiles with their URL, data file or store", async () => {
    const world = await withProfiles({ a: { url: "http://a" }, b: { data: "/b" }, c: {}, d: { store: "etcd://d" } });
    const stdout = "a\thttp://a\nb\t/b\nc\t\nd\tetcd://d\n";
    expect((await complete("profiles", "", [], world)).stdout).toBe(stdout);
  });

  it("__complete leaves out profiles whose names contain a line break or look like a flag", async () => {
    const world = await withProfiles({ "a\nb": {}, "c\td": {}, "--e": {}, "": {}, "\u001b[2J": {}, "f g": {} });
    expect((await complete("profiles", "", [], world)).stdout).toBe("f g\t\n");
  });

  it("__complete uses the profile that the line selects", async () => {
    const { path } = await dataFile(DATA);
    const world = await withProfiles({ shop: { data: path, env: "test" } });
    expect((await complete("names", "DATA", ["get", "--profile", "shop"], world)).stdout).toMatch(/^DATABASE_URL\t/);
  });
});

describe("a hostile server", () => {
  const GOOD = { id: 1, type: "STRING", name: "GOOD", description: "a\nFAKE\tb\r\u001b[2J$(x)" };

  async function offered(...variables: object[]): Promise<string> {
    const url = await answering((_, response) => void response.end(pageOf(variables)));
    return (await complete("names", "", [], { env: { APPVARS_URL: url, ...CREDENTIALS } })).stdout;
  }

  it("__complete escapes control characters of a hostile server", async () => {
    expect(await offered(GOOD)).toBe("GOOD\ta\\nFAKE\\tb\\r\\x1b[2J$(x)\n");
  });

  it.each(["A;touch x", "$(touch x)", "B\nC", "--url=x", "", "D E", "ünï"])(
    "__complete prints nothing of a server that sends the name %j",
    async (name) => {
      expect(await offered(GOOD, { ...GOOD, id: 2, name })).toBe("");
    },
  );

  it.each<[string, RequestListener]>([
    ["that never answers", () => {}],
    ["whose answer never ends", (_, response) => void response.write("{")],
    ["whose pages never end", (request, response) => void response.end(onePageOf(2_000_000, request.url ?? ""))],
    ["that asks to wait", (_, response) => void response.writeHead(429, { "retry-after": "1" }).end("{}")],
    ["that fails", (_, response) => void response.writeHead(500).end()],
    ["that talks nonsense", (_, response) => void response.end("<html>")],
  ])("__complete prints nothing for a server %s", async (_, listener) => {
    const env = { APPVARS_URL: await answering(listener), ...CREDENTIALS };
    expect(await complete("names", "", ["get"], { env })).toEqual(NOTHING);
  });
});

describe("it prints nothing, and succeeds,", () => {
  it.each([
    ["without a server", ["--url", "http://127.0.0.1:1"], CREDENTIALS],
    ["without credentials", [], {}],
    ["for an invalid setting", ["--timeout", "soon"], CREDENTIALS],
    ["for an invalid URL", ["--url", "nope"], CREDENTIALS],
    ["for a missing data file", ["--data", "/nowhere/vars.json"], {}],
    ["for a missing profile", ["--profile", "nope"], CREDENTIALS],
    ["for flags without values", ["--url", "--data"], CREDENTIALS],
  ])("__complete prints nothing and exits 0 %s", async (_, words, env) => {
    for (const kind of ["names", "file-names", "environments", "profiles"]) {
      expect(await complete(kind, "", ["get", ...words], { env })).toEqual(NOTHING);
    }
  });

  it("__complete prints nothing for a store, and does not connect to it", async () => {
    const { port, sockets } = await tcpPeer(() => {});
    for (const kind of ["names", "file-names", "environments"]) {
      const words = ["get", "--store", `etcd://127.0.0.1:${port}`];
      expect(await complete(kind, "", words)).toEqual(NOTHING);
      expect(await complete(kind, "", [...words, "--env", "test"])).toEqual(NOTHING);
    }
    expect(sockets).toEqual([]);
  });

  it("__complete prints nothing for an unknown kind", async () => {
    expect(await complete("nope", "", [])).toEqual(NOTHING);
    expect(await complete("__proto__", "", [])).toEqual(NOTHING);
    expect(await runWith((io) => quickComplete(["__complete"], io))).toEqual(NOTHING);
  });

  it("__complete prints nothing with an invalid .appvars.json", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, ".appvars.json"), "{");
    expect(await complete("names", "", ["get"], { cwd, env: CREDENTIALS })).toEqual(NOTHING);
  });

  it("__complete prints nothing for a secret on stdin, and does not read stdin", async () => {
    const { url } = await runningServer();
    const argv = ["__complete", "names", "", "get", "--url", url, "--api-key", "dev-key", "--api-secret-file", "-"];
    const run = async (io: Io) => [await quickComplete(argv, io), io.stdin.readableDidRead];
    expect(await runWith(run, { stdin: "dev-secret\n" })).toEqual({ ...NOTHING, code: [0, false] });
  });

  it.skipIf(process.platform === "win32")(
    "__complete prints nothing for a secret in a named pipe (skipped on Windows)",
    async () => {
      const folder = await temporaryFolder();
      const pipe = join(folder, "secret");
      execFileSync("mkfifo", [pipe]);
      for (const flag of ["--api-secret-file", "--ca-file", "--client-key"]) {
        const env = flag === "--api-secret-file" ? {} : { ...CREDENTIALS, APPVARS_CLIENT_CERT: "/dev/null" };
        expect(await complete("names", "", ["get", flag, pipe], { env })).toEqual(NOTHING);
      }
    },
  );
});
