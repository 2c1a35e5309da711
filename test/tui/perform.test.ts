import { expect, test } from "vitest";
import {
  DecryptionError,
  RateLimitedError,
  ServerError,
  UnauthorizedError,
  UsageError,
} from "../../src/domain/errors.js";
import { Performer } from "../../src/tui/perform.js";
import type { CopyOutcome, Entry, OpenPlace, Place, RateLimit } from "../../src/tui/ports.js";
import type { Effect } from "../../src/tui/state/effect.js";
import type { Message } from "../../src/tui/state/message.js";
import { localSource } from "./support/source.js";
import { entry } from "./support/state.js";

const LOAD: Effect = { type: "load", place: 0, generation: 7, known: [] };

function openPlace(change: Partial<OpenPlace> = {}): OpenPlace {
  return {
    source: localSource({ PORT: 3000 }),
    editor: undefined,
    decrypt: (_name, value) => value,
    getCommand: (name) => `appvars get ${name} --profile staging`,
    ...change,
  };
}

function place(open: Place["open"]): Place {
  return { name: "staging", kind: "profile", detail: "", open };
}

/** Carries out one effect after another, and gives the messages up to one of these types for each. */
function testPerformer(places: readonly Place[], outcome: CopyOutcome = { kind: "clipboard" }) {
  const copied: string[] = [];
  const done: string[] = [];
  const performer = new Performer({
    places,
    copy: async (text) => {
      copied.push(text);
      return outcome;
    },
    clock: () => 5,
    quit: () => void done.push("quit"),
    suspend: () => void done.push("suspend"),
    onRead: () => void done.push("read"),
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

test("a load tells that the place is open, what has come so far, and all of it", async () => {
  const { run } = testPerformer([place(async () => openPlace())]);
  const messages = await run(LOAD, "loaded");
  expect(messages.map(({ type }) => type)).toEqual(["opened", "progress", "loaded"]);
  expect(messages[0]).toMatchObject({ generation: 7, isEditable: false });
  expect(messages[2]).toMatchObject({ generation: 7, problem: undefined, requests: 3, now: 5 });
});

test("a reading that found something new is told apart, once it was shown", async () => {
  let source = localSource({ PORT: 3000 });
  const { run, done } = testPerformer([place(async () => ({ ...openPlace(), source: { ...source, ...delegate() } }))]);
  const delegate = () => ({
    listVariables: (page?: object) => source.listVariables(page),
    listValues: (page?: object) => source.listValues(page),
    getHealth: () => source.getHealth(),
  });
  const load = async (known: readonly Entry[]): Promise<readonly Entry[]> => {
    const message = (await run({ ...LOAD, known }, "loaded")).at(-1);
    return message?.type === "loaded" ? message.entries : [];
  };
  const entries = await load([]);
  expect(done).toEqual(["read"]);
  await load(entries);
  expect(done).toEqual(["read"]);
  source = localSource({ PORT: 3001 });
  await load(entries);
  expect(done).toEqual(["read", "read"]);
});

test("a place is opened once, and anew after it could not be", async () => {
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

test("a place that could not be read is closed, and opened anew, when a person has it tried again", async () => {
  const events: string[] = [];
  const refusing = localSource({});
  refusing.listVariables = async () => Promise.reject(new UnauthorizedError("refused"));
  refusing.close = async () => void events.push("closed");
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

test("a rate limit comes with the seconds to wait", async () => {
  const source = localSource({});
  source.listValues = async () => Promise.reject(new RateLimitedError("too many requests", 12));
  const { run } = testPerformer([place(async () => openPlace({ source }))]);
  const messages = await run(LOAD, "failed");
  expect(messages.at(-1)).toMatchObject({ failure: { code: "rate_limited", retryAfter: 12 }, now: 5 });
});

test("what a server says of its rate limit is told for the place that is shown", async () => {
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

test("a source that says it is not well is shown with its variables", async () => {
  const source = localSource({ A: 1 });
  source.getHealth = async () => Promise.reject(new ServerError("the data file is not valid", 503));
  const { run } = testPerformer([place(async () => openPlace({ source }))]);
  expect((await run(LOAD, "loaded")).at(-1)).toMatchObject({ problem: "the data file is not valid" });
});

test("what was not thrown on purpose is told by its kind only, since it may quote anything", async () => {
  const { run } = testPerformer([place(async () => Promise.reject(new TypeError("cannot read secret-value")))]);
  const [failed] = await run(LOAD, "failed");
  expect(failed).toMatchObject({ failure: { code: "unexpected", message: expect.not.stringContaining("secret") } });
});

test("a value is copied as it was before a client encrypted it", async () => {
  const { run, copied } = testPerformer([place(async () => openPlace({ decrypt: () => "plain" }))]);
  await run({ type: "copyValue", entry: entry("URL", "envbee:enc:v1:abc") }, "copied");
  await run({ type: "copyValue", entry: entry("FLAGS", { a: 1 }, "JSON") }, "copied");
  expect(copied).toEqual(["plain", "plain"]);
});

test("a value that can't be decrypted is not copied, and why is told", async () => {
  const decrypt = () => {
    throw new DecryptionError("URL is encrypted: set APPVARS_ENC_KEY");
  };
  const { run, copied } = testPerformer([place(async () => openPlace({ decrypt }))]);
  const encrypted = entry("URL", "envbee:enc:v1:abc");
  const [message] = await run({ type: "copyValue", entry: encrypted }, "copied");
  expect(message).toMatchObject({
    what: "URL",
    outcome: { kind: "failed", reason: expect.stringContaining("ENC_KEY") },
  });
  expect(await run({ type: "decrypt", entry: encrypted }, "notDecrypted")).toHaveLength(1);
  expect(copied).toEqual([]);
});

test("a command is copied without anything being read", async () => {
  const { run, copied } = testPerformer([place(async () => openPlace())]);
  await run({ type: "copyCommand", name: "PORT" }, "copied");
  expect(copied).toEqual(["appvars get PORT --profile staging"]);
});

test("an edit is prepared and applied by the place's editor, and what it refuses is told", async () => {
  const edit = { name: "A", before: undefined, after: undefined };
  const editor = {
    prepare: () => edit,
    apply: async () => Promise.reject(new UsageError("A was changed meanwhile")),
  };
  const { run } = testPerformer([place(async () => openPlace({ editor }))]);
  const draft = { name: "A", before: undefined, type: "STRING", value: "", description: "" } as const;
  expect(await run({ type: "prepare", draft }, "prepared")).toEqual([{ type: "prepared", edit }]);
  const [refused] = await run({ type: "apply", edit }, "refused");
  expect(refused).toMatchObject({ failure: { message: "A was changed meanwhile" } });
});

test("another place is read to compare with, or why not is told", async () => {
  const { run } = testPerformer([
    place(async () => openPlace()),
    place(async () => openPlace({ source: localSource({ OTHER: 1 }) })),
    place(async () => Promise.reject(new UsageError("broken profile"))),
  ]);
  const [compared] = await run({ type: "compare", place: 1 }, "compared");
  expect(compared).toMatchObject({ place: 1, entries: [{ variable: { name: "OTHER" } }] });
  expect(await run({ type: "compare", place: 2 }, "notCompared")).toMatchObject([{ failure: { code: "usage" } }]);
});

test("quitting and suspending are left to who runs it", () => {
  const { performer, done } = testPerformer([]);
  performer.perform({ type: "quit" }, () => {});
  performer.perform({ type: "suspend" }, () => {});
  expect(done).toEqual(["quit", "suspend"]);
});

test("what has not changed is not read again", async () => {
  let version = 1;
  let reads = 0;
  const source = localSource({ PORT: 3000 });
  const { listVariables } = source;
  source.listVariables = async (page) => {
    reads++;
    return listVariables.call(source, page);
  };
  const { run } = testPerformer([place(async () => openPlace({ source, version: () => version }))]);
  const load = async (known: readonly Entry[]): Promise<readonly Entry[]> => {
    const message = (await run({ ...LOAD, known }, "loaded")).at(-1);
    return message?.type === "loaded" ? message.entries : [];
  };
  const entries = await load([]);
  expect(await load(entries)).toBe(entries);
  expect(reads).toBe(1);
  version = 2;
  expect(await load(entries)).toBe(entries);
  expect(reads).toBe(2);
});

test("closing closes what was opened, and what could not be does not matter", async () => {
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
