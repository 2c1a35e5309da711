import { mkdir, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { httpPeer, tcpPeer } from "../client/peer.js";
import { runCli } from "../support/cli.js";
import { CREDENTIALS } from "../support/data.js";
import { aVariable } from "../support/records.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A command line with its title in the name of a test. */
function named(argv: string[]): [name: string, argv: string[]] {
  return [argv.filter((word) => /^-?-?[a-zA-Z]+$/.test(word)).join(" "), argv];
}

/** Every command that reads from a server. */
const READERS = [
  ["get", "PORT"],
  ["list"],
  ["list", "--values"],
  ["show", "PORT"],
  ["export"],
  ["run", "--", process.execPath, "-e", "console.log('started')"],
  ["run", "--watch", "--", process.execPath, "-e", "console.log('started')"],
  ["health"],
].map(named);

describe("a server that does not answer with HTTP", () => {
  it.each(READERS)(
    "a protocol switch makes %s exit 7 without printing or starting anything",
    async (_name, argv) => {
      const { url } = await tcpPeer((socket) =>
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
        ),
      );
      const env = { APPVARS_URL: url.origin, ...CREDENTIALS };
      const { code, stdout, stderr } = await runCli(argv, { env });
      expect([code, stdout]).toEqual([7, ""]);
      expect(stderr).toBe(`appvars: ${url.origin} does not answer with HTTP\n`);
    },
  );

  it.each(READERS)("a connection closed without an answer makes %s exit 5", async (_name, argv) => {
    const { url } = await tcpPeer((socket) => socket.end());
    const env = { APPVARS_URL: url.origin, ...CREDENTIALS, APPVARS_MAX_WAIT: "0" };
    const { code, stdout } = await runCli(argv, { env });
    expect([code, stdout]).toEqual([5, ""]);
  });
});

interface Lists {
  variables: object[];
  values: object[];
  /** The total in the metadata; by default the true one. */
  total?: number;
}

/** A server of these lists, whole in one page. It does not know the read of all values. */
function listPeer({ variables, values, total }: Lists) {
  return httpPeer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? "", "http://a");
    if (pathname === BY_NAME) return answerNotFound(res);
    const data = pathname === "/v1/variables" ? variables : values;
    const [limit, offset] = ["limit", "offset"].map((name) => Number(searchParams.get(name)));
    res.end(JSON.stringify({ metadata: { limit, offset, total: total ?? data.length }, data }));
  });
}

const BY_NAME = "/v1/variables-values-by-name";

function answerNotFound(res: ServerResponse): void {
  res.writeHead(404).end('{"message":"Not found"}');
}

/** A server of one variable that answers the read of all values with this text. */
function valuesPeer(body: string) {
  return httpPeer((req, res) => {
    const page = {
      metadata: { limit: 1_000, offset: 0, total: 1 },
      data: [variable(1, "PORT", "NUMBER")],
    };
    res.end(req.url?.startsWith(BY_NAME) ? body : JSON.stringify(page));
  });
}

function variable(id: number, name: string, type = "STRING") {
  return { ...aVariable({ id, name }), type };
}

function value(variable_id: number, content: unknown) {
  return { id: variable_id, variable_id, content: { value: content } };
}

const LISTERS = [
  ["list", "--values"],
  ["export"],
  ["run", "--pristine", "--", process.execPath, "-e", ""],
].map(named);

describe("answers of a server", () => {
  it.each(LISTERS)(
    "an invalid variable name from a server makes %s exit 7",
    async (_name, argv) => {
      const folder = await temporaryFolder();
      const trace = join(folder, "trace");
      await writeFile(
        join(folder, "evil.cjs"),
        `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "x")`,
      );
      const names = [`NODE_OPTIONS=--require=${folder}/evil.cjs `, "PATH=/evil:", "A\nB", "-x", ""];
      for (const name of names) {
        const { url } = await listPeer({ variables: [variable(1, name)], values: [value(1, "")] });
        const env = { APPVARS_URL: url.origin, ...CREDENTIALS };
        const { code, stdout, stderr } = await runCli(argv, { env });
        expect([code, stdout]).toEqual([7, ""]);
        expect(stderr).toContain(
          "not an appvars server (status 200): data[0].name must be the name of a variable\n",
        );
      }
      expect(await readdir(folder)).toEqual(["evil.cjs"]);
    },
  );

  it.each(LISTERS)(
    "a value of the wrong type from a server makes %s exit 7",
    async (_name, argv) => {
      const { url } = await listPeer({
        variables: [variable(1, "PORT", "NUMBER")],
        values: [value(1, "t0p-s3cr3t")],
      });
      const { code, stdout, stderr } = await runCli(argv, {
        env: { APPVARS_URL: url.origin, ...CREDENTIALS },
      });
      expect([code, stdout]).toEqual([7, ""]);
      expect(stderr).toBe("appvars: the server sends a value for PORT that is not a NUMBER\n");
    },
  );

  it.each(LISTERS)("an absurd total from a server makes %s exit 7", async (_name, argv) => {
    const lists = { variables: [variable(1, "PORT")], values: [value(1, "x")], total: 1e15 };
    const { url } = await listPeer(lists);
    const { code, stderr } = await runCli(argv, {
      env: { APPVARS_URL: url.origin, ...CREDENTIALS },
    });
    expect(code).toBe(7);
    expect(stderr).toContain("metadata.total must be a whole number from 0 to 2000000");
  });

  it.each(LISTERS)("a value that is nested too deeply makes %s exit 7", async (_name, argv) => {
    const deep = JSON.parse(`${"[".repeat(550)}${"]".repeat(550)}`);
    const { url } = await listPeer({
      variables: [variable(1, "FLAGS", "JSON")],
      values: [value(1, deep)],
    });
    const { code, stderr } = await runCli(argv, {
      env: { APPVARS_URL: url.origin, ...CREDENTIALS },
    });
    expect(code).toBe(7);
    expect(stderr).toContain("data[0].content.value must be JSON that is not nested too deeply");
  });

  it.each(LISTERS)("all values at once that break a rule make %s exit 7", async (_name, argv) => {
    const folder = await temporaryFolder();
    const trace = join(folder, "trace");
    await writeFile(
      join(folder, "evil.cjs"),
      `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "x")`,
    );
    const deep = `${"[".repeat(550)}${"]".repeat(550)}`;
    for (const [body, rule] of [
      [
        `{"data":{"NODE_OPTIONS=--require=${folder}/evil.cjs ":""}}`,
        "data must be an object with names of variables",
      ],
      ['{"data":{"":1}}', "data must be an object with names of variables"],
      ['{"data":{"A\\nB":1}}', "data must be an object with names of variables"],
      ['{"data":[]}', "data must be an object"],
      ["{}", "data is missing"],
      [`{"data":{"A":${deep}}}`, "data.A must be JSON that is not nested too deeply"],
      [
        '{"data":{"A":1e999}}',
        "line 1, column 14: a number that can't be held exactly (write it as a string)",
      ],
      ['{"data":{"A":1,"A":2}}', ""],
    ]) {
      const { url } = await valuesPeer(body ?? "");
      const { code, stdout, stderr } = await runCli(argv, {
        env: { APPVARS_URL: url.origin, ...CREDENTIALS },
      });
      expect([code, stdout]).toEqual([7, ""]);
      expect(stderr).toBe(`appvars: not an appvars server (status 200)${rule && `: ${rule}`}\n`);
    }
    expect(await readdir(folder)).toEqual(["evil.cjs"]);
  });

  it.each([["list", "--values"], ["export"]].map(named))(
    "a value of the wrong type among all values makes %s exit 7",
    async (_name, argv) => {
      const { url } = await valuesPeer('{"data":{"PORT":"t0p-s3cr3t"}}');
      const { code, stdout, stderr } = await runCli(argv, {
        env: { APPVARS_URL: url.origin, ...CREDENTIALS },
      });
      expect([code, stdout]).toEqual([7, ""]);
      expect(stderr).toBe("appvars: the server sends a value for PORT that is not a NUMBER\n");
    },
  );

  it("another variable than the requested one makes show exit 7", async () => {
    for (const revision of [{}, { "Appvars-Revision": "1" }]) {
      const { url } = await httpPeer((req, res) => {
        res.writeHead(200, revision);
        res.end(
          JSON.stringify(req.url?.includes("by-name") ? value(1, "x") : variable(1, "OTHER")),
        );
      });
      const env = { APPVARS_URL: url.origin, ...CREDENTIALS, APPVARS_MAX_WAIT: "0" };
      const { code, stderr } = await runCli(["show", "PORT"], { env });
      expect([code, stderr]).toEqual([
        7,
        expect.stringContaining("the server sends another variable's value for PORT"),
      ]);
    }
  });
});

describe("an endless list", () => {
  it.each([["list"], ["run", "--", "true"], ["run", "--watch", "--", "true"]].map(named))(
    "makes %s exit 5 after --max-wait and one --timeout",
    async (_name, argv) => {
      const { url } = await httpPeer((req, res) => {
        if (req.url === BY_NAME) return answerNotFound(res);
        const offset = Number(new URL(req.url ?? "", "http://a").searchParams.get("offset"));
        const page = {
          metadata: { limit: 1, offset, total: 2_000_000 },
          data: [variable(offset + 1, `V${offset}`)],
        };
        res.end(JSON.stringify(page));
      });
      const env = {
        APPVARS_URL: url.origin,
        ...CREDENTIALS,
        APPVARS_MAX_WAIT: "0.2",
        APPVARS_TIMEOUT: "0.5",
      };
      const { code, stdout, stderr } = await runCli(argv, { env });
      expect([code, stdout]).toEqual([5, ""]);
      expect(stderr).toBe(
        "appvars: gave up after 0.7 s: --max-wait and one --timeout allow no more\n",
      );
    },
  );
});

describe.skipIf(process.platform === "win32")("a cache entry that is not a regular file", () => {
  const argv = ["get", "PORT", "--cache", "--max-wait", "0"];

  /**
   * A cache with an answer, the path of the answer, and a command to run once the server has gone.
   */
  async function cached() {
    const cache = await temporaryFolder();
    const { url, close } = await runningServer();
    const get = () => runCli(argv, { env: { APPVARS_URL: url, ...CREDENTIALS }, cache });
    expect(await get()).toMatchObject({ code: 0, stdout: "3000\n" });
    await close();
    const names = await readdir(join(cache, "snapshots"), { recursive: true, withFileTypes: true });
    const [file = ""] = names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return { file, get };
  }

  it("is used when it is the answer", async () => {
    const { get } = await cached();
    expect(await get()).toMatchObject({ code: 0, stdout: "3000\n" });
  });

  it.each([
    ["a link to a device without end", (path: string) => symlink("/dev/zero", path)],
    ["a folder", (path: string) => mkdir(path)],
    ["a file of 1 TB", (path: string) => writeFile(path, "x").then(() => truncate(path, 2 ** 40))],
    ["no answer", (path: string) => writeFile(path, "x")],
  ])("is not waited for, nor used: %s", async (_what, make) => {
    const { file, get } = await cached();
    await rm(file);
    await make(file);
    expect(await get()).toMatchObject({ code: 5, stdout: "" });
  });
});
