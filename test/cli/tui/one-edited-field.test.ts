import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { createEditor } from "../../../src/cli/tui/editor.js";
import type { VariableEntry } from "../../../src/domain/source.js";
import { isEncrypted, type JsonValue, textAs, type VariableType, valueText } from "../../../src/domain/variable.js";
import { decrypt, encrypt } from "../../../src/encryption/envelope.js";
import { createMemoryStore } from "../../../src/store/memory-store.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { editLines } from "../../../src/tui/edit/review-text.js";
import { pressed } from "../../../src/tui/program/program.js";
import type { Assigned, Change, Editor } from "../../../src/tui/state/ports.js";
import type { Step, Tools } from "../../../src/tui/state/state.js";
import { valueLines } from "../../../src/tui/view/values.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { Random } from "../../support/random.js";
import { aRecord } from "../../support/records.js";
import { entry, paste, press, readyState, type } from "../../tui/support/state.js";

const KEY = "the key";
const TEXTS = [
  ...["", " ", "  spaces around  ", "plain", "123", "-0", "1e3", "007", "9007199254740993", "true", "null", '"quoted"'],
  ...[
    "{}",
    "[]",
    '{"a":1}',
    '{"a":1,"a":2}',
    "[1,",
    "a\nb\n",
    "\r\n\t",
    "\u0000\u001b[31m",
    "ä",
    "e\u0301",
    "🙂",
    "\ud800",
  ],
];
const NUMBERS = [0, 1, -1.5, 0.1, 1e21, 5e-324, 1.7976931348623157e308, 2 ** 53, 2 ** 60, 123456789.12345678];
const KEYS = ["a", "b", "", " ", "1", "__proto__", "constructor", "a.b", '"', "ä"];

function anyValue(random: Random, depth: number): JsonValue {
  const items = () => Array.from({ length: random.below(4) }, () => anyValue(random, depth - 1));
  switch (random.below(depth > 0 ? 6 : 4)) {
    case 0:
      return random.pick(TEXTS);
    case 1:
      return random.pick(NUMBERS);
    case 2:
      return random.below(2) === 0;
    case 3:
      return null;
    case 4:
      return items();
    default:
      return Object.fromEntries(items().map((item) => [random.pick(KEYS), item]));
  }
}

/** Each text and number in the types that can hold it, and 200 JSON values of any shape. */
function allValues(): [VariableType, JsonValue][] {
  const random = new Random(17);
  return [
    ...TEXTS.flatMap((text): [VariableType, JsonValue][] => [
      ["STRING", text],
      ["JSON", text],
    ]),
    ...NUMBERS.flatMap((number): [VariableType, JsonValue][] => [
      ["NUMBER", number],
      ["JSON", number],
    ]),
    ...[true, false].flatMap((value): [VariableType, JsonValue][] => [
      ["BOOLEAN", value],
      ["JSON", value],
    ]),
    ...Array.from({ length: 200 }, (): [VariableType, JsonValue] => ["JSON", anyValue(random, 4)]),
  ];
}

const ENVIRONMENT = { id: 1, application: "shop", name: "development", api_key: "key", api_secret: "secret" };

function editorOf(variable: VariableType, value: JsonValue) {
  const store = createMemoryStore({
    version: 1,
    environments: [ENVIRONMENT],
    variables: [aRecord({ id: 1, type: variable, name: "IT", description: "What it is" })],
    values: [{ id: 1, variable_id: 1, environment_id: 1, content: { value } }],
  });
  return createEditor({ name: "data", store, check: () => {} }, ENVIRONMENT, KEY);
}

const entryOf = (variable: VariableType, value: JsonValue) => entry("IT", value, variable, "What it is");

/** The change that keys in the list lead to, of which the last one submits a form. */
async function changeAfter({ variable, value }: VariableEntry, ...keys: readonly Key[]): Promise<Change | undefined> {
  const editor = editorOf(variable.type, value?.content.value ?? null);
  const changes: (Change | undefined)[] = [];
  const prepare: Editor["prepare"] = async (draft) => {
    const parts = await editor.prepare(draft);
    changes.push(parts[0]?.changes[0]);
    return parts;
  };
  const start: Step = [readyState([{ variable, value }]), []];
  const [, work] = [...keys, press("ctrl-s")].reduce(([state], key) => pressed(state, key, ALL_COMMANDS), start);
  const places = {
    byStore: async () => [{ editor: { ...editor, prepare }, places: new Map([["shop/development", 0]]) }],
  };
  for (const each of work) await each({ places } as unknown as Tools);
  return changes[0];
}

const EDIT = type("e");
const ALL = allValues();

describe("in a form only the edited field changes, with any value:", () => {
  it("nothing", async () => {
    for (const [variable, value] of ALL) {
      const item = entryOf(variable, value);
      expect(await changeAfter(item, EDIT)).toBeUndefined();
    }
  });

  it("the description", async () => {
    for (const [variable, value] of ALL) {
      const item = entryOf(variable, value);
      const change = await changeAfter(item, EDIT, press("tab"), type("!"));
      expect(change?.after).toEqual({ type: variable, value, description: "What it is!" });
    }
  });

  it("the type, to a STRING of the output of get", async () => {
    for (const [variable, value] of ALL) {
      const item = entryOf(variable, value);
      const other = Array(["STRING", "JSON", "BOOLEAN", "NUMBER"].indexOf(variable)).fill(press("right"));
      const change = await changeAfter(item, EDIT, press("shift-tab"), ...other);
      const after =
        variable === "STRING" ? undefined : { type: "STRING", value: valueText(value), description: "What it is" };
      expect(change?.after).toEqual(after);
    }
  });

  it("the type, to another and back", async () => {
    for (const [variable, value] of ALL) {
      const item = entryOf(variable, value);
      const there = [press("right"), press("right")];
      const change = await changeAfter(item, EDIT, press("shift-tab"), ...there, press("left"), press("left"));
      expect(change).toBeUndefined();
    }
  });

  it("the value", async () => {
    const random = new Random(18);
    for (const [variable, value] of ALL) {
      const [, next] = random.pick(ALL.filter(([each]) => each === variable));
      const text = textAs(next, variable, 2);
      // A paste leaves control characters out.
      if (text === "" || /(?![\n\t])\p{Cc}/u.test(text)) continue;
      const item = entryOf(variable, value);
      const change = await changeAfter(item, EDIT, press("ctrl-k"), press("ctrl-u"), paste(text));
      const after = isDeepStrictEqual(value, next)
        ? undefined
        : { type: variable, value: next, description: "What it is" };
      expect(change?.after).toEqual(after);
    }
  });

  it("the name of a new variable", async () => {
    for (const [variable, value] of ALL) {
      const text = textAs(value, variable);
      if (text === "" || /(?![\n\t])\p{Cc}/u.test(text)) continue;
      const types = Array(["STRING", "NUMBER", "BOOLEAN", "JSON"].indexOf(variable)).fill(press("right"));
      const filled = [press("tab"), ...types, press("tab"), paste(text), press("shift-tab"), press("shift-tab")];
      const item = entryOf(variable, value);
      const change = await changeAfter(item, type("a"), type("NEW"), ...filled, type("_NAME"));
      expect(change).toEqual({
        name: "NEW_NAME",
        before: undefined,
        after: { type: variable, value, description: "" },
      });
    }
  });
});

/** The lines of the review, as text. */
function review(before: Assigned | undefined, after: Assigned | undefined): string[] {
  const lines = editLines({ before, after }, true, 400);
  return lines.map((line) => line.map(({ text }) => text).join(""));
}

it("a review shows each change of a value, and none where there is none", () => {
  const random = new Random(19);
  const json = ALL.flatMap(([variable, value]) => (variable === "JSON" ? [value] : []));
  for (const value of json) {
    // Another value, the same one, and a string that looks like it.
    for (const other of [random.pick(json), structuredClone(value), JSON.stringify(value)]) {
      const [before, after] = [value, other].map((each) => ({ type: "JSON", value: each, description: "" }) as const);
      const isChanged = review(before, after).some((line) => /^(value| {5}) +[-+] /.test(line));
      expect([value, other, isChanged]).toEqual([value, other, !isDeepStrictEqual(value, other)]);
    }
  }
});

it("the record shows JSON as a form does", () => {
  const shown = (value: JsonValue) =>
    valueLines(textAs(value, "JSON"), "JSON").map((line) => line.map(({ text }) => text).join(""));
  expect(shown("123")).toEqual(['"123"']);
  expect(shown('{"a":1}')).toEqual(['"{\\"a\\":1}"']);
  expect(shown({ a: ["1"] })).toEqual(["{", '  "a": [', '    "1"', "  ]", "}"]);
});

it("JSON that is copied into an encrypted value does not change", async () => {
  for (const value of ["123", "text", { a: 1 }]) {
    const editor = editorOf("JSON", encrypt("[]", KEY));
    const changes = [{ name: "IT", type: "JSON", description: "", value }] as const;
    const [change] = (await editor.assign([{ environment: "shop/development", changes }]))[0]?.changes ?? [];
    const stored = change?.after?.value;
    expect(isEncrypted(stored) && JSON.parse(decrypt(stored, KEY))).toEqual(value);
  }
});
