import { rename, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../src/kit/text/errors.js";
import type { Data } from "../../src/store/data.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { dataFile } from "../support/data-file.js";
import { HOSTILE } from "../support/hostile.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { Random } from "../support/random.js";
import { counts, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { canariesOf, canaryData } from "./canaries.js";

const FILES = QUICK ? 2_000 : 10_000;
/** Files that a running server reads. */
const RELOADS = QUICK ? 20 : 200;

const GOOD = canaryData();
const CANARIES = canariesOf(GOOD).join(" ");

// biome-ignore lint/suspicious/noExplicitAny: a hostile file breaks every type
type Any = any;
const LISTS = ["environments", "variables", "values"] as const;

/** Values in place of others. */
const STRANGE: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    -0,
    Number.MAX_VALUE,
    "",
    " ",
    HOSTILE,
    "\ud800",
    "x".repeat(100_000),
  ],
  ...[
    "__proto__",
    "constructor",
    "1",
    "a/b",
    "-",
    "99914b932bd37a50b983c5e7c90ae93b",
    [],
    {},
    [[]],
    { value: {} },
  ],
  ...[
    "\u0000",
    "\r\n",
    "true",
    "NaN",
    "2026-01-31T12:00:00Z",
    "9999-99-99T99:99:99Z",
    [null],
    { __proto__: null },
  ],
];

/** Ways to break good data. */
const CHANGES: Record<string, (data: Any, random: Random) => void> = {
  "a field is replaced": (data, random) => {
    const record = random.pick(data[random.pick(LISTS)]) as Any;
    record[random.pick(Object.keys(record))] = random.pick(STRANGE);
  },
  "a field is missing": (data, random) => {
    const record = random.pick(data[random.pick(LISTS)]) as Any;
    delete record[random.pick(Object.keys(record))];
  },
  "a field is added": (data, random) => {
    const record = random.pick([data, random.pick(data[random.pick(LISTS)])]) as Any;
    Object.defineProperty(
      record,
      random.pick(["__proto__", "x", HOSTILE, "toJSON", "constructor", "previous", ""]),
      {
        value: random.pick(STRANGE),
        enumerable: true,
      },
    );
  },
  "a record is repeated": (data, random) => {
    const list = data[random.pick(LISTS)];
    list.splice(random.below(list.length), 0, random.pick(list));
  },
  "a record is missing": (data, random) => {
    const list = data[random.pick(LISTS)];
    list.splice(random.below(list.length), 1);
  },
  "a record is replaced": (data, random) => {
    const list = data[random.pick(LISTS)];
    list[random.below(list.length)] = random.pick(STRANGE);
  },
  "a list is replaced": (data, random) => {
    data[random.pick([...LISTS, "version", "last_ids"])] = random.pick(STRANGE);
  },
  "ids are exchanged": (data, random) => {
    const list = data[random.pick(LISTS)];
    const [one, other] = [random.pick(list), random.pick(list)] as Any[];
    const field = random.pick([
      "id",
      "variable_id",
      "environment_id",
      "application",
      "name",
      "type",
    ]);
    [one[field], other[field]] = [other[field], one[field]];
  },
  "keys are added that were valid before": (data, random) => {
    const record = random.pick(data.environments) as Any;
    const { api_key, api_secret } = random.pick(data.environments) as Any;
    record.previous = [{ api_key, api_secret, valid_until: random.pick(STRANGE) }];
  },
  "a value is nested deeply": (data, random) => {
    const depth = random.pick([10, 490, 600, 20_000]);
    (random.pick(data.values) as Any).content.value = `DEEP${depth}`;
  },
};

/** Ways to damage the text of a file. */
const DAMAGES: Record<string, (bytes: Buffer, random: Random) => Buffer> = {
  "a byte is changed": (bytes, random) => {
    bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  "the end is missing": (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  "the start is missing": (bytes, random) => bytes.subarray(random.below(bytes.length)),
  "a part is missing": (bytes, random) => {
    const place = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + random.below(200))]);
  },
  "a part is repeated": (bytes, random) => {
    const place = random.below(bytes.length);
    const end = place + random.below(200);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(place)]);
  },
  "bytes are inserted": (bytes, random) => {
    const place = random.below(bytes.length);
    const inserted = random.pick([
      "\ufeff",
      "\0",
      "//",
      "[",
      "]",
      "{",
      "}",
      '"',
      ",",
      "\\u0000",
      "1e999",
      '"id":1,',
      "\xff\xfe",
    ]);
    const encoding = inserted === "\xff\xfe" ? "latin1" : "utf8";
    return Buffer.concat([
      bytes.subarray(0, place),
      Buffer.from(inserted, encoding),
      bytes.subarray(place),
    ]);
  },
  "another encoding": (bytes, random) =>
    Buffer.from(bytes.toString(), random.pick(["utf16le", "base64"] as const)),
  "only random bytes": (_bytes, random) =>
    Buffer.from(random.text(random.below(2_000), '\0\x01 \n{}[]",:0123\x80\xff'), "latin1"),
};

/** A hostile file; the same for the same generator. */
function hostileFile(random: Random): { kind: string; bytes: Buffer } {
  const data = structuredClone(GOOD);
  const kind = random.pick([...Object.keys(CHANGES), ...Object.keys(DAMAGES)]);
  CHANGES[kind]?.(data, random);
  const text = JSON.stringify(data, undefined, random.pick([0, 2]));
  const deep = text.replace(
    /"DEEP(\d+)"/,
    (_, depth) => "[".repeat(Number(depth)) + "]".repeat(Number(depth)),
  );
  const bytes = Buffer.from(deep);
  return { kind, bytes: DAMAGES[kind]?.(bytes, random) ?? bytes };
}

/** The parts of a message about a broken rule: the record or the place, and the rule. */
const RECORD =
  /^(environments|variables|values|last_ids|version|previous)\b|\bkey "|line \d+, column \d+|not a known field|version/;
const RULE =
  /must|missing|known|has the same|has a key|there is no|belongs to|is not|is sealed|expected|invalid|duplicate key|is empty|too|byte order/;

/** The parts of a message that secrets and values consist of. */
function leaksIn(text: string): string[] {
  return (text.match(/[0-9a-f]{10,}/g) ?? []).filter((part) => CANARIES.includes(part));
}

describe("hostile data files", () => {
  it("every hostile file is loaded whole, or refused with the record and the rule", async () => {
    const random = new Random(6);
    const outcomes: string[] = [];
    const faults: string[] = [];
    for (let index = 0; index < FILES; index++) {
      const { kind, bytes } = hostileFile(random);
      const outcome = await load(bytes);
      outcomes.push(outcome.result);
      if (outcome.fault) faults.push(`${kind}: ${outcome.fault}`);
    }
    report(
      "Hostile data files",
      `${grouped(FILES)} made from a good one in ${Object.keys({ ...CHANGES, ...DAMAGES }).length} ways`,
      `${counts(outcomes)}; ${faults.length} crashes, partial loads or values in a message`,
    );
    expect(faults.slice(0, 10)).toEqual([]);
  });

  it("a server survives every hostile file, and serves good data after it", async () => {
    const { path, write } = await dataFile(GOOD);
    const { child, port, log, stop } = await serveProcess(["--data", path]);
    const random = new Random(7);
    const [{ api_key: key = "", api_secret: secret = "" } = {}] = GOOD.environments;
    const status = async () =>
      (await get({ port }, "/v1/variables/1", { "x-api-key": key, "x-api-secret": secret })).status;
    for (let index = 0; index < RELOADS; index++) {
      await writeBytes(path, hostileFile(random).bytes);
      child.kill("SIGHUP");
      await expect
        .poll(() => log().match(/SIGHUP: reloading/g)?.length, { interval: 5 })
        .toBe(index + 1);
      expect((await get({ port }, "/healthz", {})).status).toSatisfy(
        (each) => each === 200 || each === 503,
      );
    }
    await write(GOOD);
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
    await expect
      .poll(async () => (await get({ port }, "/healthz", {})).status, { timeout: 20_000 })
      .toBe(200);
    expect(leaksIn(log())).toEqual([]);
    expect(log()).not.toMatch(/^ {4}at /m);
    expect(await stop()).toBe(0);
  });
});

async function writeBytes(path: string, bytes: Buffer): Promise<void> {
  await writeFile(`${path}.new`, bytes, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** @returns the outcome of loading a file, and a fault of it */
async function load(bytes: Buffer): Promise<{ result: string; fault?: string | undefined }> {
  let data: Data;
  try {
    data = await parseData(bytes);
  } catch (error) {
    if (!(error instanceof InvalidDataError))
      return { result: "crashed", fault: String((error as Error).stack) };
    const { message } = error;
    const isExplained = RULE.test(message) && (RECORD.test(message) || isNotJson(bytes));
    const fault = leaksIn(message).length > 0 ? "leak" : isExplained ? undefined : "unexplained";
    return { result: "refused", fault: fault && `${fault}: ${message}` };
  }
  const written = JSON.parse(bytes.toString());
  const isWhole = LISTS.every((list) => {
    const loaded = data[list] as Any[];
    return (
      loaded.length === written[list].length &&
      loaded.every((record, index) => holds(record, written[list][index]))
    );
  });
  return { result: "loaded", fault: isWhole ? undefined : "not whole" };
}

/** Whether a record has all fields as they were written. */
function holds(record: Any, written: Any): boolean {
  return Object.keys(written).every(
    (field) => JSON.stringify(record[field]) === JSON.stringify(written[field]),
  );
}

/** The whole file is wrong then, not a record. */
function isNotJson(bytes: Buffer): boolean {
  try {
    return (
      JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) ===
      undefined
    );
  } catch {
    return true;
  }
}
