import { expect, test } from "vitest";
import {
  ChangedDataError,
  DecryptionError,
  RateLimitedError,
  ServerError,
  UnauthorizedError,
  UsageError,
} from "../../../src/domain/errors.js";
import type { RateLimit } from "../../../src/domain/http-headers.js";
import type { VariableEntry } from "../../../src/domain/source.js";
import { Performer } from "../../../src/tui/program/perform.js";
import type { CopyFormat } from "../../../src/tui/state/copy-formats.js";
import type { Effect } from "../../../src/tui/state/effects.js";
import type { Message } from "../../../src/tui/state/messages.js";
import type { CopyOutcome, Editor, OpenPlace, Place, WriteValues } from "../../../src/tui/state/ports.js";
import { localSource, withMethods } from "../support/source.js";
import { entry } from "../support/state.js";

const LOAD: Effect = { type: "load", place: 0, generation: 7, known: [] };

function copy(format: CopyFormat, ...entries: VariableEntry[]): Effect {
  return { type: "copy", place: 0, entries, format };
}

function openPlace(change: Partial<OpenPlace> = {}): OpenPlace {
  return {
    source: localSource({ PORT: 3000 }),
    editor: undefined,
    decrypt: (_name, value) => value,
    getCommand: (name) => `appvars get ${name} --profile staging`,
    exportFile: async () => ({ kind: "exists" }),
    ...change,
  };
}

const EDITOR: Editor = {
  prepare: () => ({ changes: [] }),
  assign: () => ({ changes: [] }),
  renew: (edit) => edit,
  apply: async () => {},
};

function place(open: Place["open"]): Place {
  return { name: "staging", group: "data.json", kind: "profile", detail: "", open };
}

const WRITE: WriteValues = async (format, values, { allowReserved }) => {
  return { text: JSON.stringify({ format, values, allowReserved }) };
};

/** Performs effects in turn, and returns for each the messages up to one of these types. */
function testPerformer(
  places: readonly Place[],
  outcome: CopyOutcome = { kind: "clipboard" },
  write: WriteValues = WRITE,
) {
  const copied: string[] = [];
  const done: string[] = [];
  const performer = new Performer({
    places,
    copy: async (text) => {
      copied.push(text);
      return outcome;
    },
    write,
    editText: async (text) => `${text}0`,
    listFolder: async () => [],
    ticks: () => 5,
    quit: () => void done.push("quit"),
    suspend: () => void done.push("suspend"),
    redraw: () => void done.push("redraw"),
  });
  const run = (effect: Effect, ...until: Message["type"][]) =>
    new Promise<Message[]>((resolve) => {
      const messages: Message[] = [];
      performer.perform(effect, (message) => {
        messages.push(message);
        if (until.includes(message.type)) resolve(messages);
      });
    });
  return { performer, run, copied, done };
}

test("a load dispatches that the place is open, its progress, and all entries", async () => {
  const { run } = testPerformer([place(async () => openPlace())]);
  const messages = await run(LOAD, "loaded");
  expect(messages.map(({ type }) => type)).toEqual(["opened", "progress", "loaded"]);
  expect(messages[0]).toMatchObject({ generation: 7, isEditable: false });
  expect(messages[2]).toMatchObject({ generation: 7, problem: undefined, requests: 3, now: 5, asOf: 5 });
});

test("a place is opened once, and again after a failure", async () => {
  let opened = 0;
  const { run } = testPerformer([
    place(async () => {
      if (++opened === 1) throw new UsageError("no such profile");
      return openPlace();
    }),
  ]);
  const [failed] = await run(LOAD, "failed");
  expect(failed).toMatchObject({ failure: { code: "usage", message: "no such profile" } });
  await run(LOAD, "loaded");
  await run(LOAD, "loaded");
  expect(opened).toBe(2);
});

test("a place that failed is closed and opened again on request", async () => {
  const events: string[] = [];
  const refusing = withMethods(localSource({}), {
    listVariables: () => Promise.reject(new UnauthorizedError("refused")),
    close: async () => void events.push("closed"),
  });
  const { run } = testPerformer([
    place(async () => {
      events.push("opened");
      return openPlace({ source: refusing });
    }),
  ]);
  await run(LOAD, "failed");
  await run(LOAD, "failed");
  expect(events).toEqual(["opened"]);
  await run({ ...LOAD, generation: 8 }, "failed");
  expect(events).toEqual(["opened", "closed", "opened"]);
});

test("a rate limit error has the seconds to wait", async () => {
  const listValues = () => Promise.reject(new RateLimitedError("too many requests", 12));
  const source = withMethods(localSource({}), { listValues });
  const { run } = testPerformer([place(async () => openPlace({ source }))]);
  const messages = await run(LOAD, "failed");
  expect(messages.at(-1)).toMatchObject({ failure: { code: "rate_limited", retryAfter: 12 }, now: 5 });
});

test("the rate limit of a server is dispatched for the open place only", async () => {
  let tell: (rateLimit: RateLimit) => void = () => {};
  const { run } = testPerformer([
    place(async (onRateLimit) => {
      tell = onRateLimit;
      tell({ limit: 10, remaining: 9, reset: 60 });
      return openPlace();
    }),
  ]);
  const messages = await run(LOAD, "loaded");
  expect(messages[0]).toEqual({ type: "rateLimit", generation: 7, rateLimit: { limit: 10, remaining: 9, reset: 60 } });
});

test.each([
  ["is reloaded at once, and no failure is shown", 4, "loaded"],
  ["is a failure when it keeps changing", 5, "failed"],
] as const)("data that changes while it is read %s", async (_what, changes, outcome) => {
  let left = changes;
  const local = localSource({ PORT: 3000 });
  const source = withMethods(local, {
    listValues: (page) => (left-- > 0 ? Promise.reject(new ChangedDataError("it changed")) : local.listValues(page)),
  });
  const { run } = testPerformer([place(async () => openPlace({ source }))]);
  const messages = await run(LOAD, "loaded", "failed");
  expect(messages.at(-1)?.type).toBe(outcome);
  left = changes;
  const compared = await run({ type: "compare", place: 0 }, "compared", "notCompared");
  expect(compared.at(-1)?.type).toBe(outcome === "loaded" ? "compared" : "notCompared");
});

test("the problem of an unhealthy source comes with its variables", async () => {
  const source = localSource({ A: 1 });
  source.getHealth = async () => Promise.reject(new ServerError("the data file is not valid", 503));
  const { run } = testPerformer([place(async () => openPlace({ source }))]);
  expect((await run(LOAD, "loaded")).at(-1)).toMatchObject({
    problem: "the data file is not valid",
    asOf: undefined,
  });
});

test("the warning of a source about its old data comes with its variables", async () => {
  const source = localSource({ A: 1 });
  const health = { uptime: 1, date: "2026-01-01T00:00:00.000Z", data_age: 45 };
  for (const [message, problem] of [["it is gone; the data is 45 s old", "it is gone; the data is 45 s old"], ["OK"]]) {
    source.getHealth = async () => ({ ...health, message: message ?? "" });
    const { run } = testPerformer([place(async () => openPlace({ source }))]);
    expect((await run(LOAD, "loaded")).at(-1)).toMatchObject({ problem, asOf: 5 - 45_000 });
  }
});

test("an unexpected error is reported by its kind only, since it can quote anything", async () => {
  const { run } = testPerformer([place(async () => Promise.reject(new TypeError("cannot read secret-value")))]);
  const [failed] = await run(LOAD, "failed");
  expect(failed).toMatchObject({ failure: { code: "unexpected", message: expect.not.stringContaining("secret") } });
});

test("an encrypted value is copied decrypted", async () => {
  const { run, copied } = testPerformer([place(async () => openPlace({ decrypt: () => "plain" }))]);
  await run(copy("value", entry("URL", "envbee:enc:v1:abc")), "copied");
  await run(copy("value", entry("FLAGS", { a: 1 }, "JSON")), "copied");
  expect(copied).toEqual(["plain", "plain"]);
});

test("a value of another place is copied as that place decrypts it, and the notice names the place", async () => {
  const places = [
    place(async () => openPlace({})),
    { ...place(async () => openPlace({ decrypt: () => "theirs" })), name: "there" },
  ];
  const { run, copied } = testPerformer(places);
  const [message] = await run(
    { type: "copy", place: 1, entries: [entry("URL", "envbee:enc:v1:abc")], format: "value" },
    "copied",
  );
  expect([message, copied]).toMatchObject([{ what: "URL of there" }, ["theirs"]]);
});

test("a value that can't be decrypted isn't copied, and the reason is reported", async () => {
  const decrypt = () => {
    throw new DecryptionError("URL is encrypted: set APPVARS_ENC_KEY");
  };
  const { run, copied } = testPerformer([place(async () => openPlace({ decrypt }))]);
  const encrypted = entry("URL", "envbee:enc:v1:abc");
  const [message] = await run(copy("value", encrypted), "copied");
  expect(message).toMatchObject({
    what: "URL",
    outcome: { kind: "failed", reason: expect.stringContaining("ENC_KEY") },
  });
  expect(await run({ type: "decrypt", entry: encrypted }, "notDecrypted")).toHaveLength(1);
  expect(copied).toEqual([]);
});

test("a command is copied without reading anything", async () => {
  const { run, copied } = testPerformer([place(async () => openPlace())]);
  await run(copy("command", entry("PORT", 1)), "copied");
  expect(copied).toEqual(["appvars get PORT --profile staging"]);
});

test("the notice of a copy counts the copied variables, without those that the format leaves out", async () => {
  const write = async () => ({ text: "PORT=3000", leftOut: ["PATH"], note: "without the reserved PATH" });
  const { run } = testPerformer([place(async () => openPlace())], undefined, write);
  const [message] = await run(copy("dotenv", entry("PORT", 3000, "NUMBER"), entry("PATH", "/bin")), "copied");
  expect(message).toMatchObject({ what: "PORT as dotenv", note: "without the reserved PATH" });
});

test("a command for a reserved name is copied with a warning", async () => {
  const { run } = testPerformer([place(async () => openPlace())]);
  const [message] = await run(copy("command", entry("LD_PRELOAD", "x")), "copied");
  expect(message).toMatchObject({ what: "the command for LD_PRELOAD (reserved: run and export leave it out)" });
});

test("several variables are copied as one text, and the notice describes it", async () => {
  const { run, copied } = testPerformer([place(async () => openPlace())]);
  const entries = [entry("PORT", 3000, "NUMBER"), entry("UNSET"), entry("PATH", "/bin")];
  const formats = ["value", "name", "command", "name=value", "yaml"] as const;
  const messages = [];
  for (const format of formats) messages.push(...(await run(copy(format, ...entries), "copied")));
  expect(messages.map((message) => message.type === "copied" && message.what)).toEqual([
    "2 variables",
    "the names of 3 variables",
    "the command for 2 variables (reserved: run and export leave it out)",
    "2 variables as name=value (reserved: run and export leave it out)",
    "2 variables as yaml",
  ]);
  expect(copied.slice(0, 2)).toEqual(["3000\n/bin", "PORT\nUNSET\nPATH"]);
  expect(copied[2]).toMatch(/^appvars get PORT .*\nappvars get PATH /);
  const values = [
    { name: "PORT", type: "NUMBER", value: 3000 },
    { name: "PATH", type: "STRING", value: "/bin" },
  ];
  expect(copied.slice(3).map((text) => JSON.parse(text))).toEqual([
    { format: "dotenv", values, allowReserved: true },
    { format: "yaml", values, allowReserved: false },
  ]);
});

/** The text that an editor gets for a value: \`editText\` of these tests returns it with a 0 at the end. */
test.each([
  ["a text", entry("A", "text"), "text"],
  ["JSON with a line for each member", entry("A", { a: [1] }, "JSON"), '{\n  "a": [\n    1\n  ]\n}'],
  ["a text in JSON", entry("A", "text", "JSON"), '"text"'],
  ["an encrypted value, decrypted", entry("A", "envbee:enc:v1:text"), "text"],
  ["encrypted JSON, where indenting it loses nothing", entry("A", 'envbee:enc:v1:{"a":1}', "JSON"), '{\n  "a": 1\n}'],
  ["encrypted JSON with more digits than a number", entry("A", "envbee:enc:v1:1.00", "JSON"), "1.00"],
  ["nothing", entry("A"), ""],
])("the editor gets %s", async (_what, edited, text) => {
  const decrypt: OpenPlace["decrypt"] = (_name, value) => {
    return typeof value === "string" ? value.replace("envbee:enc:v1:", "") : value;
  };
  const { run } = testPerformer([place(async () => openPlace({ editor: EDITOR, decrypt }))]);
  const messages = await run({ type: "editValue", place: 0, entry: edited }, "valueEdited");
  expect(messages).toEqual([{ type: "valueEdited", place: 0, entry: edited, text: `${text}0` }]);
});

test("the editor gets the encrypted value that a form keeps, decrypted", async () => {
  const { run } = testPerformer([place(async () => openPlace({ decrypt: () => "text" }))]);
  const sealed = "envbee:enc:v1:abc";
  const effect: Effect = { type: "editText", place: 0, text: "", sealed, name: "A", isJson: false };
  expect(await run(effect, "textEdited")).toEqual([{ type: "textEdited", text: "text0" }]);
});

test.each([
  ["the place is read-only", {}, "this place is read-only"],
  ["the key is missing", { editor: EDITOR }, "A is encrypted: set APPVARS_ENC_KEY"],
])("a value can't be edited where %s", async (_what, change, message) => {
  const decrypt = () => {
    throw new DecryptionError("A is encrypted: set APPVARS_ENC_KEY");
  };
  const { run } = testPerformer([place(async () => openPlace({ decrypt, ...change }))]);
  const effect: Effect = { type: "editValue", place: 0, entry: entry("A", "envbee:enc:v1:abc") };
  expect(await run(effect, "refused")).toMatchObject([{ failure: { message } }]);
});

test("the editor of a place prepares and applies edits, and its refusals are reported", async () => {
  const edit = { changes: [] };
  const editor = {
    prepare: () => edit,
    assign: () => edit,
    renew: () => edit,
    apply: async () => Promise.reject(new UsageError("A was changed in the meantime")),
  };
  const { run } = testPerformer([place(async () => openPlace({ editor }))]);
  const draft = { name: "A", before: undefined, type: "STRING", value: "", description: "" } as const;
  const prepare: Effect = { type: "prepare", place: 0, draft };
  expect(await run(prepare, "done")).toEqual([
    { type: "prepared", edit, text: "" },
    { type: "done", effect: prepare },
  ]);
  const assigned = { place: 0, purpose: "delete" } as const;
  expect(await run({ type: "assign", ...assigned, assignments: [] }, "assigned")).toEqual([
    { type: "assigned", ...assigned, edit },
  ]);
  const [refused] = await run({ type: "apply", place: 0, edit }, "notApplied");
  expect(refused).toMatchObject({ failure: { message: "A was changed in the meantime" } });
});

test("an edit of the history is as it was where its place can't be opened", async () => {
  const { run } = testPerformer([place(async () => Promise.reject(new UsageError("broken profile")))]);
  const edit = { changes: [] };
  expect(await run({ type: "renew", place: 0, edit }, "renewed")).toEqual([{ type: "renewed", edit, now: edit }]);
});

test("another place is read for a comparison, or the failure is reported", async () => {
  const { run } = testPerformer([
    place(async () => openPlace()),
    place(async () => openPlace({ source: localSource({ OTHER: 1 }) })),
    place(async () => Promise.reject(new UsageError("broken profile"))),
  ]);
  const [compared] = await run({ type: "compare", place: 1 }, "compared");
  expect(compared).toMatchObject({ place: 1, entries: [{ variable: { name: "OTHER" } }] });
  expect(await run({ type: "compare", place: 2 }, "notCompared")).toMatchObject([{ failure: { code: "usage" } }]);
});

test("quit and suspend call the options", () => {
  const { performer, done } = testPerformer([]);
  performer.perform({ type: "quit" }, () => {});
  performer.perform({ type: "suspend" }, () => {});
  expect(done).toEqual(["quit", "suspend"]);
});

test("an unchanged version is not read again", async () => {
  let version = {};
  let reads = 0;
  const local = localSource({ PORT: 3000 });
  const source = withMethods(local, {
    listVariables: (page) => {
      reads++;
      return local.listVariables(page);
    },
  });
  const { run } = testPerformer([place(async () => openPlace({ source, version: () => version }))]);
  const load = async (known: readonly VariableEntry[]): Promise<readonly VariableEntry[]> => {
    const message = (await run({ ...LOAD, known }, "loaded")).at(-1);
    return message?.type === "loaded" ? message.entries : [];
  };
  const entries = await load([]);
  expect(await load(entries)).toBe(entries);
  expect(reads).toBe(1);
  version = {};
  expect(await load(entries)).toBe(entries);
  expect(reads).toBe(2);
});

test("close closes all opened places and ignores those that failed", async () => {
  const closed: string[] = [];
  const source = localSource({ A: 1 });
  source.close = async () => void closed.push("closed");
  const { performer, run } = testPerformer([
    place(async () => openPlace({ source })),
    place(async () => Promise.reject(new UsageError("broken"))),
  ]);
  await run(LOAD, "loaded");
  await run({ ...LOAD, place: 1 }, "failed");
  await performer.close();
  expect(closed).toEqual(["closed"]);
});

test("another local place is read only once for each version", async () => {
  let reads = 0;
  const local = localSource({ PORT: 3000, HOST: "x" });
  const source = withMethods(local, {
    listValues: (page) => {
      reads++;
      return local.listValues(page);
    },
  });
  const version = {};
  const { run } = testPerformer([place(async () => openPlace({ source, version: () => version }))]);
  const [first] = await run({ type: "readOther", place: 0, known: undefined }, "otherRead");
  if (first?.type !== "otherRead") throw new Error("nothing was read");
  expect(first).toMatchObject({ place: 0, isLocal: true });
  expect(first.entries?.[1]?.value?.content.value).toBe("x");
  const [again] = await run({ type: "readOther", place: 0, known: first.entries }, "otherRead");
  expect(again).toEqual(first);
  expect(reads).toBe(1);
});

test("a failed read of another place is reported for it", async () => {
  const failing = place(async () => {
    throw new UsageError("no such file");
  });
  const { run } = testPerformer([failing]);
  const [message] = await run({ type: "readOther", place: 0, known: undefined }, "otherRead");
  expect(message).toMatchObject({ type: "otherRead", place: 0, failure: { message: "no such file" } });
});

test("a variable is looked up in local places only, and no server is asked", async () => {
  const opened: string[] = [];
  const other = (name: string, kind: Place["kind"], change: Partial<OpenPlace>): Place => ({
    ...place(async () => {
      opened.push(name);
      return openPlace(change);
    }),
    name,
    kind,
  });
  const version = () => opened;
  const source = localSource({ HOST: "x" });
  const places = [
    other("has it", "environment", { version }),
    other("has it not", "environment", { version, source }),
    other("profile", "profile", {}),
  ];
  const { run } = testPerformer(places);
  const [message] = await run({ type: "lookUp", name: "PORT", places: [0, 1, 2] }, "lookedUp");
  expect(message).toEqual({
    type: "lookedUp",
    name: "PORT",
    values: new Map<number, unknown>([
      [0, 3000],
      [1, undefined],
    ]),
  });
  expect(opened).toEqual(["has it", "has it not"]);
});
