import { expect, onTestFinished, test } from "vitest";
import {
  ChangedDataError,
  DecryptionError,
  RateLimitedError,
  ServerError,
  UnauthorizedError,
  UsageError,
} from "../../../src/domain/errors.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { createProgram } from "../../../src/tui/program/program.js";
import type { OpenPlace, Place, WriteValues } from "../../../src/tui/state/ports.js";
import { readingOf } from "../../../src/tui/state/reading.js";
import type { State } from "../../../src/tui/state/state.js";
import { localSource, withMethods } from "../support/source.js";

function openPlace(change: Partial<OpenPlace> = {}): OpenPlace {
  return {
    source: localSource({ PORT: 3000, UNSET: undefined, PATH: "/bin" }),
    editor: undefined,
    decrypt: (_name, value) => value,
    getCommand: (name) => `appvars get ${name} --profile staging`,
    exportFile: async () => ({ kind: "exists" }),
    ...change,
  };
}

function place(open: Place["open"]): Place {
  return { name: "staging", group: "data.json", kind: "profile", detail: "", open };
}

const WRITE: WriteValues = async (format, values, { allowReserved }) => {
  return { text: JSON.stringify({ format, names: values.map(({ name }) => name), allowReserved }) };
};

/** The program on these places, of which the first is read. */
function programOf(places: readonly Place[], write = WRITE) {
  const copied: string[] = [];
  let now = 5;
  const program = createProgram({
    places,
    copy: async (text) => {
      copied.push(text);
      return { kind: "clipboard" };
    },
    write,
    editText: async (text) => text,
    listFolder: async () => [],
    ticks: () => now,
    quit: () => {},
    suspend: () => {},
    redraw: () => {},
    commands: ALL_COMMANDS,
    start: { columns: 120, rows: 30, place: 0 },
    defer: setImmediate,
  });
  onTestFinished(program.close);
  const until = (isReached: (state: State) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isReached(program.state)) return;
        stop();
        resolve();
      };
      const stop = program.subscribe(look);
      setImmediate(look);
    });
  return {
    program,
    copied,
    until,
    read: () =>
      until(
        (state) => readingOf(state).isComplete && readingOf(state).nextAt !== undefined && !readingOf(state).failure,
      ),
    failed: () => until((state) => readingOf(state).failure !== undefined),
    press: (...keys: string[]) => {
      for (const name of keys) program.press({ name, text: name.length === 1 ? name : "" });
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
      program.tick();
    },
  };
}

test("a place is opened once, and again after a failure when a person asks", async () => {
  const events: string[] = [];
  const refusing = withMethods(localSource({}), {
    listVariables: () => Promise.reject(new UnauthorizedError("refused")),
    close: async () => void events.push("closed"),
  });
  const tui = programOf([
    place(async () => {
      events.push("opened");
      return openPlace({ source: refusing });
    }),
  ]);
  await tui.failed();
  tui.press("r");
  expect(readingOf(tui.program.state).failure).toBeUndefined();
  await tui.failed();
  expect(events).toEqual(["opened", "closed", "opened"]);
});

test("a failure is shown, and an unexpected one by its kind only, since it can quote anything", async () => {
  const usage = programOf([place(async () => Promise.reject(new UsageError("no such profile")))]);
  await usage.failed();
  expect(readingOf(usage.program.state).failure).toMatchObject({ code: "usage", message: "no such profile" });
  const other = programOf([place(async () => Promise.reject(new TypeError("cannot read secret-value")))]);
  await other.failed();
  expect(readingOf(other.program.state).failure).toEqual({
    code: "unexpected",
    message: "unexpected error (TypeError)",
  });
});

test("a rate limit has the seconds to wait, and the limit is that of the open place", async () => {
  const rateLimit = { limit: 10, remaining: 9, reset: 60 };
  const listValues = () => Promise.reject(new RateLimitedError("too many requests", 12));
  const tui = programOf([
    place(async (onRateLimit) => {
      onRateLimit(rateLimit);
      return openPlace({ source: withMethods(localSource({}), { listValues }) });
    }),
  ]);
  await tui.failed();
  expect(readingOf(tui.program.state)).toMatchObject({
    failure: { code: "rate_limited", retryAfter: 12 },
    nextAt: 12_005,
    rateLimit: { ...rateLimit, remaining: 0 },
  });
});

test.each([
  ["is read again at once", 4, undefined],
  ["is a failure when it keeps changing", 5, "it changed"],
] as const)("data that changes while it is read %s", async (_what, changes, message) => {
  let left = changes;
  const local = localSource({ PORT: 3000 });
  const source = withMethods(local, {
    listValues: (page) => (left-- > 0 ? Promise.reject(new ChangedDataError("it changed")) : local.listValues(page)),
  });
  const tui = programOf([place(async () => openPlace({ source }))]);
  await tui.until((state) => readingOf(state).isComplete || readingOf(state).failure !== undefined);
  expect(readingOf(tui.program.state).failure?.message).toBe(message);
});

test("the problem of a source, and the age of its data, come with its variables", async () => {
  const source = localSource({ A: 1 });
  source.getHealth = async () => Promise.reject(new ServerError("the data file is not valid", 503));
  const broken = programOf([place(async () => openPlace({ source }))]);
  await broken.read();
  expect(readingOf(broken.program.state)).toMatchObject({ problem: "the data file is not valid", asOf: undefined });
  const old = localSource({ A: 1 });
  const message = "it is gone; the data is 45 s old";
  old.getHealth = async () => ({ uptime: 1, date: "2026-01-01T00:00:00.000Z", data_age: 45, message });
  const stale = programOf([place(async () => openPlace({ source: old }))]);
  await stale.read();
  expect(readingOf(stale.program.state)).toMatchObject({ problem: message, asOf: 5 - 45_000 });
});

test("a local place is read only once for each version", async () => {
  let reads = 0;
  const local = localSource({ PORT: 3000 });
  const source = withMethods(local, {
    listValues: (page) => {
      reads++;
      return local.listValues(page);
    },
  });
  const version = {};
  const tui = programOf([place(async () => openPlace({ source, version: () => version }))]);
  await tui.read();
  const before = readingOf(tui.program.state).nextAt;
  tui.pass(60_000);
  await tui.until((state) => readingOf(state).nextAt !== undefined && readingOf(state).nextAt !== before);
  expect(reads).toBe(1);
});

test("a read of another place takes the place of the one before, of which nothing comes", async () => {
  let release = (_opened: OpenPlace) => {};
  const slow = place(() => new Promise((resolve) => (release = resolve)));
  const tui = programOf([slow, { ...place(async () => openPlace()), name: "other" }]);
  tui.press(":", ..."open other", "enter");
  await tui.read();
  release(openPlace({ source: localSource({ LATE: 1 }) }));
  tui.press("r");
  await tui.read();
  expect(readingOf(tui.program.state).entries.map(({ variable }) => variable.name)).not.toContain("LATE");
});

test("variables are copied in each form, with a notice that counts what was copied", async () => {
  const tui = programOf([place(async () => openPlace())]);
  await tui.read();
  tui.press("*");
  const notices: (string | undefined)[] = [];
  for (const form of ["value", "name", "command", "name=value"]) {
    tui.press(":", ..."copy ", ...form, "enter");
    await tui.until(({ notice }) => notice !== undefined && !notices.includes(notice.text));
    notices.push(tui.program.state.notice?.text);
  }
  tui.press(":", ..."copy-all yaml", "enter");
  await tui.until(({ notice }) => notice?.text.includes("yaml") === true);
  expect([...notices, tui.program.state.notice?.text]).toEqual([
    "copied 2 variables to the clipboard",
    "copied the names of 3 variables to the clipboard",
    "copied the command for 2 variables (reserved: run and export leave it out) to the clipboard",
    "copied 2 variables as name=value (reserved: run and export leave it out) to the clipboard",
    "copied 2 variables as yaml to the clipboard",
  ]);
  expect(tui.copied.slice(0, 2)).toEqual(["3000\n/bin", "PORT\nUNSET\nPATH"]);
  expect(tui.copied[2]).toMatch(/^appvars get PORT .*\nappvars get PATH /);
  expect(tui.copied.slice(3).map((text) => JSON.parse(text))).toEqual([
    { format: "dotenv", names: ["PORT", "PATH"], allowReserved: true },
    { format: "yaml", names: ["PORT", "PATH"], allowReserved: false },
  ]);
});

test("the notice of a copy names what the format leaves out", async () => {
  const write = async () => ({ text: "PORT=3000", leftOut: ["PATH"], note: "without the reserved PATH" });
  const tui = programOf([place(async () => openPlace())], write);
  await tui.read();
  tui.press(":", ..."copy-all", "enter");
  await tui.until(({ notice }) => notice?.text === "copied PORT as dotenv to the clipboard; without the reserved PATH");
});

test("a value that can't be decrypted isn't copied, shown or edited, and a notice says why", async () => {
  const decrypt = () => {
    throw new DecryptionError("URL is encrypted: set APPVARS_ENC_KEY");
  };
  const source = localSource({ URL: "envbee:enc:v1:abc" });
  const tui = programOf([place(async () => openPlace({ source, decrypt }))]);
  await tui.read();
  tui.press("y");
  await tui.until(({ notice }) => notice?.text === "can't copy URL: URL is encrypted: set APPVARS_ENC_KEY");
  tui.press("v");
  await tui.until(({ notice }) => notice?.text === "URL is encrypted: set APPVARS_ENC_KEY");
  tui.press("E");
  await tui.until(({ notice }) => notice?.text === "URL is encrypted: set APPVARS_ENC_KEY");
  expect(tui.copied).toEqual([]);
});
