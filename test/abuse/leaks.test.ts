import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BINARY, run, start } from "../support/binary.js";
import { dataFile } from "../support/data-file.js";
import { request } from "../support/http.js";
import { report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { signByHand } from "../support/sign-by-hand.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { canariesOf, canaryData } from "./canaries.js";

const DATA = canaryData();
const CANARIES = canariesOf(DATA);
const [OWN, OTHER] = DATA.environments;
const { api_key: key = "", api_secret: secret = "" } = OWN ?? {};
const NAME = DATA.variables[0]?.name ?? "";

/** The forms in which a secret could be written, besides as it is. */
const ENCODED = CANARIES.flatMap((text) => {
  const bytes = Buffer.from(text);
  const forms = [
    bytes.toString("base64"),
    bytes.toString("hex"),
    Buffer.from(text, "hex").toString("base64"),
  ];
  return forms.map((form) => form.replace(/=+$/, "").slice(0, 20));
}).filter((form) => form.length === 20);
const JOINED = CANARIES.join(" ");

/** The secrets and values in a text, whole, in part or encoded. */
function leaksIn(text: string): string[] {
  const parts = (text.match(/[0-9a-f]{10,}/g) ?? []).filter((part) => JOINED.includes(part));
  return [...parts, ...ENCODED.filter((form) => text.includes(form))];
}

/** Where secrets and values are looked for, by the name of the place. */
class Places {
  readonly #texts = new Map<string, string[]>();

  add(place: string, text: string): void {
    this.#texts.set(place, [...(this.#texts.get(place) ?? []), text]);
  }

  get names(): string[] {
    return [...this.#texts.keys()];
  }

  /** The places with nothing in them: a search there would prove nothing. */
  get empty(): string[] {
    return [...this.#texts].filter(([, texts]) => texts.join("") === "").map(([place]) => place);
  }

  get leaks(): string[] {
    return [...this.#texts].flatMap(([place, texts]) =>
      leaksIn(texts.join("\n")).map((leak) => `${place}: ${leak}`),
    );
  }
}

/** The arguments of all processes, which every user of the machine can see. */
function processList(): string {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  });
  return lines.join("\n");
}

/** The names and contents of all files in a folder. */
async function filesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, "latin1")));
  return [...files, ...texts].join("\n");
}

/**
 * Requests that are answered with values, and those that are refused in every way. Only the second
 * are looked at.
 */
async function sendRequests(port: number, places: Places): Promise<void> {
  const target = `/v1/variables-values-by-name/${NAME}/content`;
  const signed = signByHand({ secret, route: target });
  const wrong = signByHand({ secret: OTHER?.api_secret ?? "", route: target });
  for (const headers of [
    { "x-api-key": key, "x-api-secret": secret },
    { "x-api-key": key, authorization: signed },
  ]) {
    expect((await request({ port }, "GET", target, headers)).status).toBe(200);
  }
  // A secret does not belong in a path or query, and may be logged there.
  const misplaced = `/v1/variables/${secret}?secret=${secret}`;
  const refused: [target: string, headers: Record<string, string>, method?: string][] = [
    [target, { "x-api-key": key, authorization: wrong }],
    [target, { "x-api-key": key, authorization: `Bearer ${secret}` }],
    [target, { "x-api-key": secret, "x-api-secret": key }],
    [target, { "x-api-key": key, "x-api-secret": secret, authorization: wrong }],
    ["/v1/variables/999999", { "x-api-key": key, "x-api-secret": secret }],
    ["/v1/variables?limit=x", { "x-api-key": key, "x-api-secret": secret }],
    ["/v1/variables/%", { "x-api-key": key, "x-api-secret": secret, "x-request-id": "request-1" }],
    [`${target}#`, { "x-api-key": key, "x-api-secret": secret }],
    ["/healthz", { "x-api-key": key, "x-api-secret": secret }],
    [target, { "x-api-key": key, "x-api-secret": secret }, "DELETE"],
  ];
  for (const [path, headers, method = "GET"] of refused) {
    const { headers: received, body } = await request({ port }, method, path, headers);
    places.add("answers to others", `${JSON.stringify(received)} ${body}`);
  }
  await request({ port }, "GET", misplaced, { "x-api-key": key, "x-api-secret": secret });
}

const CRASH = `process.on("SIGUSR2", () => { throw new Error("crashed on purpose") });`;
const FORMATS = ["pretty", "json"];

it.skipIf(process.platform !== "linux")(
  "no secret and no value is found where it does not belong",
  async () => {
    const places = new Places();
    const folder = await temporaryFolder();
    const [home, temporary, crash, secretFile] = ["home", "tmp", "crash.cjs", "secret"].map(
      (name) => join(folder, name),
    ) as [string, string, string, string];
    await Promise.all([
      mkdir(home),
      mkdir(temporary),
      writeFile(crash, CRASH),
      writeFile(secretFile, secret, { mode: 0o600 }),
    ]);
    const { path, write } = await dataFile(DATA);
    const env = { HOME: home, TMPDIR: temporary, NODE_OPTIONS: `--require ${crash}` };

    for (const format of FORMATS) {
      await write(DATA);
      const auditLog = join(folder, `audit-${format}`);
      const flags = ["--data", path, "--log-format", format, "--verbose", "--rate-limit", "0"];
      const recorded = ["--audit-log", auditLog, "--metrics", "0"];
      const server = await serveProcess([...flags, ...recorded], { env });
      const { port } = server;
      await sendRequests(port, places);

      const client = { ...env, APPVARS_URL: `http://127.0.0.1:${port}`, APPVARS_API_KEY: key };
      const argvs = [
        ["get", NAME, "--cache", "--verbose", "--api-secret-file", secretFile],
        ["get", "NO_SUCH_NAME", "--verbose", "--json", "--api-secret-file", secretFile],
        ["list", "--verbose", "--api-secret-file", secretFile],
        ["doctor", "--api-secret-file", secretFile],
        ["config", "--api-secret-file", secretFile],
        [
          "diff",
          "--verbose",
          client.APPVARS_URL,
          `${path}:billing/test`,
          "--api-secret-file",
          secretFile,
        ],
        [
          "get",
          NAME,
          "--verbose",
          "--max-wait",
          "0",
          "--timeout",
          "1",
          "--url",
          "http://127.0.0.1:1",
          "--api-secret-file",
          secretFile,
        ],
        ["get", NAME, "--verbose", "--api-secret-file", path],
        ["get", NAME, "--verbose", "--data", path, "--env", "NO_SUCH_ENVIRONMENT"],
      ];
      for (const argv of argvs) {
        const { stdout, stderr } = await run(process.execPath, [BINARY, ...argv], client);
        places.add("client: --verbose and errors", stderr);
        // The output of get is the value.
        if (argv[0] !== "get") places.add("client: list, doctor, config, diff", stdout);
      }
      const running = start(
        process.execPath,
        [BINARY, "run", "--", "sh", "-c", "echo started; exec sleep 1000"],
        {
          ...client,
          APPVARS_API_SECRET: secret,
        },
      );
      await once(running.stdout ?? running, "data");
      places.add("process list", processList());
      running.kill();

      // Broken data that has values in the places of names, and none.
      await write({
        ...DATA,
        values: DATA.values.map((each) => ({ ...each, variable_id: each.content.value })),
      });
      await expect.poll(server.log, { timeout: 20_000 }).toMatch(/must be|there is no/);
      await write(JSON.stringify(DATA).slice(0, -100));
      await expect.poll(server.log, { timeout: 20_000 }).toContain("not valid JSON");
      places.add("answers to others", (await request({ port }, "GET", "/healthz")).body);
      places.add("files: temporary, home, cache", await filesIn(home));
      places.add("files: temporary, home, cache", `${temporary}\n${await filesIn(temporary)}`);

      const [metricsUrl = ""] = /http:\S+\/metrics/.exec(server.log()) ?? [];
      places.add("metrics", await (await fetch(metricsUrl)).text());
      places.add("audit log", await readFile(auditLog, "utf8"));

      server.child.kill("SIGUSR2");
      await server.ended;
      expect(server.log()).toContain("crashed on purpose");
      places.add("log and crash of the server", server.log());
      // One line, with the URL.
      places.add("log and crash of the server", server.output());
    }

    report(
      "Secrets and values",
      `searched for in: ${places.names.join("; ")}`,
      `${places.leaks.length} found`,
    );
    expect(places.empty).toEqual([]);
    expect(places.leaks).toEqual([]);
  },
);
