import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { decrypt, encrypt } from "../../../src/client/envelope.js";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import {
  formatAs,
  isUnreadable,
  type VariableType,
  valueText,
} from "../../../src/model/variable.js";
import type { VariableChange } from "../../../src/model/variable-change.js";
import { Service } from "../../../src/service/service.js";
import { createMemoryStore } from "../../../src/store/memory/memory-store.js";
import { createEditor } from "../../../src/tui/adapters/variable-editor.js";
import type { Editor, Place } from "../../../src/tui/state/ports.js";
import { Random } from "../../support/random.js";
import { isWell, shopOf, startTui } from "../support/tui.js";

const KEY = "the key";
const TEXTS = [
  ...[
    "",
    " ",
    "  spaces around  ",
    "plain",
    "123",
    "-0",
    "1e3",
    "007",
    "9007199254740993",
    "true",
    "null",
    '"quoted"',
  ],
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
const NUMBERS = [
  0,
  1,
  -1.5,
  0.1,
  1e21,
  5e-324,
  1.7976931348623157e308,
  2 ** 53,
  2 ** 60,
  123456789.12345678,
];
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

/** Each text and number in the types that can represent it, and 80 random JSON values. */
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
    ...Array.from({ length: 80 }, (): [VariableType, JsonValue] => ["JSON", anyValue(random, 4)]),
  ];
}

const ALL = allValues();

/** An editor of values, and the TUI on it, which records the edits of forms. */
async function editing(values: readonly [VariableType, JsonValue][]) {
  const data = shopOf(
    ...values.map(([type, value], index) => {
      return { name: `V_${index}`, type, description: "What it is", values: [value] };
    }),
  );
  const store = createMemoryStore(data);
  const service = new Service(store, () => 0);
  const environment = service.findEnvironment("shop/development");
  const editor = createEditor({ name: "data", store, check: () => {} }, environment, KEY);
  const changes: (VariableChange | undefined)[] = [];
  const prepare: Editor["prepare"] = async (draft) => {
    const parts = await editor.prepare(draft);
    changes.push(parts[0]?.changes[0]);
    return parts;
  };
  const place: Place = {
    ...{ name: "shop/development", group: "shop", kind: "environment", location: "" },
    open: async () => ({
      source: service.source(environment),
      editor: { ...editor, prepare } as Editor,
      decrypt: (_name, value) => value,
      getCommand: () => "",
      exportFile: async () => undefined,
    }),
  };
  const tui = startTui({ places: [place] });
  await tui.until(isWell);
  /** The change that a form has produced. It is not written. */
  const review = async () => {
    const { length } = changes;
    tui.press("ctrl-s");
    await tui.until(({ pending }) => changes.length > length && pending === undefined);
    return changes.at(-1);
  };
  /** Leaves the form, and goes to the next variable. */
  const next = () => tui.press("escape", "escape", "ctrl-x", "j");
  return { editor, tui, review, next };
}

const types = (count: number) => Array<string>(count).fill("right");

/** Edits each value with keys or pasted texts, and compares the change. */
async function expectChanges(
  keysOf: (type: VariableType, value: JsonValue) => readonly (string | { readonly text: string })[],
  afterOf: (type: VariableType, value: JsonValue) => object | undefined,
  values = ALL,
) {
  const { tui, review, next } = await editing(values);
  for (const [type, value] of values) {
    for (const key of keysOf(type, value))
      typeof key === "string" ? tui.press(key) : tui.paste(key.text);
    expect((await review())?.after).toEqual(afterOf(type, value));
    next();
  }
}

const unchanged = () => undefined;

/** A paste drops control characters, and an empty text types nothing. */
const isTyped = (text: string) => text !== "" && !/(?![\n\t])\p{Cc}/u.test(text);

describe("in a form, only the edited field changes, whatever the value:", () => {
  it("nothing", () => expectChanges(() => ["e"], unchanged));

  it("the description", async () => {
    await expectChanges(
      () => ["e", "tab", "!"],
      (type, value) => ({ type, value, description: "What it is!" }),
    );
  });

  it("the type, to a STRING with the output of get", async () => {
    await expectChanges(
      (type) => ["e", "shift-tab", ...types(["STRING", "JSON", "BOOLEAN", "NUMBER"].indexOf(type))],
      (type, value) =>
        type === "STRING"
          ? undefined
          : { type: "STRING", value: valueText(value), description: "What it is" },
    );
  });

  it("the type, to another and back", async () => {
    await expectChanges(() => ["e", "shift-tab", "right", "right", "left", "left"], unchanged);
  });

  it("the value, whose change the review shows", async () => {
    const random = new Random(18);
    const others = ALL.map(([type, value]) => {
      const [, other] = random.pick([
        ...ALL.filter(([each]) => each === type),
        [type, value] as const,
      ]);
      return { type, value, other, text: formatAs(other, type, 2) };
    });
    const typed = others.filter(({ text }) => isTyped(text));
    const { tui, review, next } = await editing(typed.map(({ type, value }) => [type, value]));
    for (const [index, { type, value, other, text }] of typed.entries()) {
      // A line, then its line break.
      const clearing = formatAs(value, type, 2)
        .split("\n")
        .flatMap(() => ["ctrl-u", "ctrl-u"]);
      tui.press("e", "ctrl-end", ...clearing);
      tui.paste(text);
      const isSame = isDeepStrictEqual(value, other);
      const after = { type, value: other, description: "What it is" };
      expect((await review())?.after).toEqual(isSame ? undefined : after);
      // Drawing takes longer than anything else.
      if (index % 8 === 0) {
        const isShown = /(value| {5}) +[-+] /.test(tui.frame());
        expect([value, other, isShown]).toEqual([value, other, !isDeepStrictEqual(value, other)]);
      }
      next();
    }
  });

  it("the name of a new variable", async () => {
    const typed = ALL.filter(([type, value]) => isTyped(formatAs(value, type)));
    const { tui, review, next } = await editing([]);
    for (const [type, value] of typed) {
      tui.press(
        "a",
        ..."NEW",
        "tab",
        ...types(["STRING", "NUMBER", "BOOLEAN", "JSON"].indexOf(type)),
        "tab",
      );
      tui.paste(formatAs(value, type));
      tui.press("shift-tab", "shift-tab", ..."_NAME");
      expect(await review()).toEqual({
        name: "NEW_NAME",
        before: undefined,
        after: { type, value, description: "" },
      });
      next();
    }
  });
});

it("JSON that is copied into an encrypted value does not change", async () => {
  const { editor } = await editing([["JSON", encrypt("[]", KEY)]]);
  for (const value of ["123", "text", { a: 1 }]) {
    const changes = [{ name: "V_0", type: "JSON", description: "", value }] as const;
    const [change] =
      (await editor.assign([{ environment: "shop/development", changes }]))[0]?.changes ?? [];
    const stored = change?.after?.value;
    expect(isUnreadable(stored) && JSON.parse(decrypt(stored, KEY))).toEqual(value);
  }
});
