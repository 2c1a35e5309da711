import { describe, expect, test } from "vitest";
import { ServerError, UnauthorizedError, UsageError } from "../../../src/kit/text/errors.js";
import {
  DecryptionError,
  InconsistentAnswersError,
  RateLimitedError,
} from "../../../src/model/errors.js";
import type { Snapshot, VariableSource } from "../../../src/model/reads/read.js";
import type {
  Editor,
  OpenPlace,
  Place,
  PlaceHistory,
  PlacesChange,
  WriteValues,
} from "../../../src/tui/state/ports.js";
import { hasFailed, isWell, localSource, startTui } from "../support/tui.js";

const PORT = { name: "PORT", values: [3000] };
const VARIABLES = [
  PORT,
  { name: "UNSET", values: [undefined, 1] },
  { name: "PATH", values: ["/bin"] },
];

function openPlace(change: Partial<OpenPlace> = {}): OpenPlace {
  return {
    source: localSource(...VARIABLES),
    editor: undefined,
    decrypt: (_name, value) => value,
    getCommand: (name) => `appvars get ${name} --profile staging`,
    exportFile: async () => undefined,
    ...change,
  };
}

function place(open: Place["open"]): Place {
  return { name: "staging", group: "data.json", kind: "profile", location: "", open };
}

/** A source with some methods replaced, also in snapshots. */
function withMethods(source: VariableSource, methods: Partial<VariableSource>): VariableSource {
  return withOwn(source, {
    readSnapshot: <T>(read: (snapshot: Snapshot) => Promise<T>) =>
      source.readSnapshot((snapshot) => read(withOwn(snapshot, methods))),
    ...methods,
  });
}

function withOwn<T extends object>(target: T, methods: object): T {
  return new Proxy(target, {
    get: (_, name) => {
      const own = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

const WRITE: WriteValues = async (format, values, { allowReserved }) => {
  return { text: JSON.stringify({ format, names: values.map(({ name }) => name), allowReserved }) };
};

/** Starts the program on places, and waits until the first one is read. */
function programOf(places: readonly Place[], write = WRITE) {
  return startTui({ places }, { write });
}

test("a place is opened once, and again after a failure if the user asks", async () => {
  const events: string[] = [];
  const refusing = withMethods(localSource(), {
    listVariables: () => Promise.reject(new UnauthorizedError("refused")),
    close: async () => void events.push("closed"),
  });
  const tui = programOf([
    place(async () => {
      events.push("opened");
      return openPlace({ source: refusing });
    }),
  ]);
  await tui.until(hasFailed);
  tui.press("r");
  expect(tui.frame()).not.toContain("✗");
  await tui.until(hasFailed);
  expect(events).toEqual(["opened", "closed", "opened", "closed"]);
});

test("a failure is shown, but only the kind of an unexpected one, since it could quote a value", async () => {
  const usage = programOf([place(async () => Promise.reject(new UsageError("no such profile")))]);
  await usage.shows(/✗ no such profile/);
  const other = programOf([
    place(async () => Promise.reject(new TypeError("cannot read secret-value"))),
  ]);
  await other.shows(/✗ unexpected error \(TypeError\)/);
});

test("a rate limit shows the seconds to wait, and the header shows the limit of the open place", async () => {
  const rateLimit = { limit: 10, remaining: 9, reset: 60 };
  const listValues = () => Promise.reject(new RateLimitedError("too many requests", 12));
  const tui = programOf([
    place(async (onRateLimit) => {
      onRateLimit(rateLimit);
      return openPlace({ source: withMethods(localSource(), { listValues }) });
    }),
  ]);
  await tui.shows(/limit 0\/10!/, /✗ rate limit reached[\s\S]*trying again in 12 s/);
});

test.each([
  ["is read again at once", 4, /PORT +NUMBER/],
  ["is a failure when it keeps changing", 5, /✗ it changed/],
])("data that changes while it is read %s", async (_what, changes, expected) => {
  let left = changes;
  const local = localSource(PORT);
  const source = withMethods(local, {
    listValues: (page) =>
      left-- > 0
        ? Promise.reject(new InconsistentAnswersError("it changed"))
        : local.listValues(page),
  });
  const tui = programOf([place(async () => openPlace({ source }))]);
  await tui.shows(expected);
});

test("the problem of a source and the age of its data are read with its variables", async () => {
  const source = localSource(PORT);
  source.getHealth = async () => Promise.reject(new ServerError("the data file is not valid", 503));
  const broken = programOf([place(async () => openPlace({ source }))]);
  expect(await broken.shows(/! the data file is not valid/)).not.toContain("s old");
  const old = localSource(PORT);
  const message = "it is gone; the data is 45 s old";
  old.getHealth = async () => ({
    uptime: 1,
    date: "2026-01-01T00:00:00.000Z",
    data_age: 45,
    message,
  });
  const stale = programOf([place(async () => openPlace({ source: old }))]);
  await stale.shows(/· 45 s old/, new RegExp(`! ${message}`));
});

test("a local place is read only once for each version", async () => {
  let reads = 0;
  const local = localSource(PORT);
  const source = withMethods(local, {
    listValues: (page) => {
      reads++;
      return local.listValues(page);
    },
  });
  const version = {};
  const tui = programOf([place(async () => openPlace({ source, version: () => version }))]);
  await tui.until(isWell);
  tui.pass(60);
  await tui.shows(/· 0 s old/);
  expect(reads).toBe(1);
});

test("a local place that changes while it is read is read again by the next poll", async () => {
  let version = {};
  let local = localSource(PORT);
  const source = withMethods(local, {
    listValues: async (page) => {
      const values = await local.listValues(page);
      local = localSource({ ...PORT, values: [4000] });
      version = {};
      return values;
    },
  });
  const tui = programOf([place(async () => openPlace({ source, version: () => version }))]);
  await tui.until(isWell);
  expect(tui.reading.entries[0]?.value?.content.value).toBe(3000);
  tui.pass(60);
  await tui.shows(/· 0 s old/);
  expect(tui.reading.entries[0]?.value?.content.value).toBe(4000);
});

test("a read of another place replaces the earlier one, whose result is dropped", async () => {
  let release = (_opened: OpenPlace) => {};
  const slow = place(() => new Promise((resolve) => (release = resolve)));
  const tui = programOf([slow, { ...place(async () => openPlace()), name: "other" }]);
  tui.press(":", ..."open other", "enter");
  await tui.until(isWell);
  release(openPlace({ source: localSource({ name: "LATE", values: [1] }) }));
  tui.press("r");
  await tui.until(isWell);
  expect(tui.names).toEqual(["PORT", "UNSET", "PATH"]);
});

describe("a key pressed while a place is read", () => {
  const reading = () => {
    let release = (_opened: OpenPlace) => {};
    const tui = programOf([place(() => new Promise((resolve) => (release = resolve)))]);
    const environment = "shop/development";
    const before = { type: "NUMBER", description: "", value: 3000 } as const;
    const changes = [{ name: "PORT", before, after: { ...before, value: undefined } }];
    const assign = async () => [{ environment, changes }];
    const editor = { store: "data.json", environment, assign, apply: async () => {} };
    return { tui, release: () => release(openPlace({ editor: editor as unknown as Editor })) };
  };

  test("waits, and so does the text for its form", async () => {
    const { tui, release } = reading();
    for (const key of ["a", ..."NEW_TOKENSq"]) {
      tui.press(key);
      tui.pass(0.3);
    }
    expect(tui.footer()).toContain("please wait; Esc cancels");
    release();
    await tui.shows(/▶ Add/, /name +NEW_TOKENSq/);
  });

  test("is cancelled by Esc, together with the keys after it", async () => {
    const { tui, release } = reading();
    tui.press("a", ..."Sq", "escape");
    tui.press("S");
    release();
    await tui.until(isWell);
    expect([tui.state.stack, tui.state.list.isReversed, tui.events]).toEqual([[], true, []]);
  });

  test("waits for its question, which keys pressed earlier do not answer", async () => {
    const { tui, release } = reading();
    tui.press("x", "enter");
    release();
    await tui.shows(/▶ Delete/);
  });
});

test("an undo applies to an environment that is listed again, and not to its place that is gone", async () => {
  const environment = "shop/test";
  const content = { type: "NUMBER", description: "" } as const;
  const changes = [
    { name: "PORT", before: { ...content, value: 3000 }, after: { ...content, value: 80 } },
  ];
  const parts = [{ environment, changes }];
  const entry = {
    id: 1,
    time: "2026-01-01T00:00:00.000Z",
    actor: "ana@laptop",
    command: "set",
    parts,
    hasMore: false,
  };
  const found = { entry, changes: parts };
  const history: PlaceHistory = {
    read: async () => [],
    rollBack: async () => [],
    undo: async () => found,
  };
  const named = (name: string, identity: string) => ({
    ...place(async () => openPlace({ history })),
    name,
    identity,
  });
  const gone = named("before", environment);
  let follower = (_change: PlacesChange) => {};
  const tui = startTui({
    places: [named("own", "shop/development"), gone],
    follow: (listener) => {
      follower = listener;
    },
  });
  await tui.until(isWell);
  follower({ added: [named("anew", environment)], gone: [gone] });
  tui.press("u");
  expect(await tui.shows(/Undo the change to PORT in /)).toMatch(/ in anew\?/);
});

test("servers have no order by last change, and no environments can be added to them", async () => {
  const tui = programOf([{ ...place(async () => openPlace()), isServer: true }]);
  await tui.until(isWell);
  tui.press(":", ..."sort ");
  expect(tui.frame()).toMatch(/ type +by type/);
  expect(tui.frame()).not.toContain("by last change");
  tui.press("escape", ":", ..."env add x", "enter");
  expect(tui.frame()).toContain("✗ the environments of a server can't be changed here");
});

test("variables are copied in each format, with a notice that counts them", async () => {
  const tui = programOf([place(async () => openPlace())]);
  await tui.until(isWell);
  tui.press("*");
  for (const [command, notice] of [
    ["copy value", "copied 2 variables to the clipboard"],
    ["copy name", "copied the names of 3 variables to the clipboard"],
    [
      "copy command",
      "copied the command for 2 variables (reserved: run and export omit it) to the clipboard",
    ],
    [
      "copy name=value",
      "copied 2 variables as name=value (reserved: run and export omit it) to the clipboard",
    ],
  ] as const) {
    tui.press(":", ...command, "enter");
    await tui.until(() => tui.footer().endsWith(notice));
  }
  tui.press("*", "Y", "/", ..."yaml", "enter");
  await tui.until(() => tui.footer().endsWith("copied 2 variables as yaml to the clipboard"));
  expect(tui.copied.slice(0, 2)).toEqual(["3000\n/bin", "PORT\nUNSET\nPATH"]);
  expect(tui.copied[2]).toMatch(/^appvars get PORT .*\nappvars get PATH /);
  expect(tui.copied.slice(3).map((text) => JSON.parse(text))).toEqual([
    { format: "dotenv", names: ["PORT", "PATH"], allowReserved: true },
    { format: "yaml", names: ["PORT", "PATH"], allowReserved: false },
  ]);
});

test("the notice of a copy names the variables that the format leaves out", async () => {
  const write = async () => ({
    text: "PORT=3000",
    leftOut: ["PATH"],
    note: "omitted reserved names: PATH",
  });
  const tui = programOf([place(async () => openPlace())], write);
  await tui.until(isWell);
  tui.press("Y", "/", ..."dotenv", "enter");
  await tui.shows(/copied PORT as dotenv to the clipboard; omitted reserved names: PATH$/);
});

test("a value that can't be decrypted isn't copied, shown or edited, and a notice says why", async () => {
  const decrypt = () => {
    throw new DecryptionError("URL is encrypted: set APPVARS_ENC_KEY");
  };
  const source = localSource({ name: "URL", values: ["envbee:enc:v1:abc"] });
  const tui = programOf([place(async () => openPlace({ source, decrypt }))]);
  await tui.until(isWell);
  tui.press("y");
  await tui.shows(/✗ can't copy URL: URL is encrypted: set APPVARS_ENC_KEY/);
  tui.press("v");
  await tui.shows(/✗ URL is encrypted: set APPVARS_ENC_KEY/);
  tui.press("escape", "E");
  await tui.shows(/✗ URL is encrypted: set APPVARS_ENC_KEY/);
  expect(tui.copied).toEqual([]);
});
