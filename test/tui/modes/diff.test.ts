import { describe, expect, it } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import { applied } from "../../../src/tui/edit/outcome.js";
import { assigned, assignedIn, confirmEdit } from "../../../src/tui/edit/review.js";
import { update } from "../../../src/tui/program/update.js";
import { compared, diffKey, notCompared, openDiff } from "../../../src/tui/screens/diff.js";
import { type Step, step } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { ENTRIES, entry, NOW, paste, press, readyState, SECRET, type } from "../support/state.js";
import { editOf, modeOf } from "../support/test-modes.js";

const FAILURE = { code: "unreachable", message: "no answer" };
/** Compared with the open place: DATABASE_URL differs, FLAGS and DEBUG are equal, NEW is added, PORT and TOKEN are missing. */
const OTHERS = [
  entry("DATABASE_URL", `other ${SECRET}`),
  entry("FLAGS", { beta: [1, null] }, "JSON"),
  entry("DEBUG", true, "BOOLEAN"),
  entry("NEW", true, "BOOLEAN"),
  entry("EMPTY"),
];

const ready = (state = readyState()): State => compared(openDiff(state, 1)[0], 1, OTHERS, true);

function pressed(from: State | Step, ...keys: readonly Key[]): Step {
  const start = "mode" in from ? step(from) : from;
  return keys.reduce(([before], key) => diffKey(before, modeOf(before, "diff"), key), start);
}

/** A comparison with a hundred differences, of which 25 are visible. */
function long(): State {
  const entries = Array.from({ length: 100 }, (_, index) => entry(`V${100 + index}`, index, "NUMBER"));
  return compared(openDiff(readyState([], { rows: 30 }), 1)[0], 1, entries, true);
}

it("a comparison reads the other place", () => {
  const opened = openDiff(readyState(), 1);
  expect(opened[1]).toEqual([{ type: "compare", place: 1 }]);
  expect(modeOf(opened, "diff")).toMatchObject({ phase: "loading", place: 1, differences: [], cursor: 0 });
});

it("a comparison lists the differences, without variables that have no value", () => {
  const { phase, differences } = modeOf(ready(), "diff");
  expect(phase).toBe("ready");
  expect(differences.map(({ kind, name }) => [kind, name])).toEqual([
    ["changed", "DATABASE_URL"],
    ["added", "NEW"],
    ["removed", "PORT"],
    ["removed", "TOKEN"],
  ]);
  expect(differences[0]?.before?.value).toBe(SECRET);
  expect(differences[0]?.after?.value).toBe(`other ${SECRET}`);
});

it("encrypted values are compared as they are", () => {
  const [state] = openDiff(readyState(), 1);
  const others = ENTRIES.map((item) => (item.variable.name === "TOKEN" ? entry("TOKEN", "envbee:enc:v1:x") : item));
  expect(modeOf(compared(state, 1, ENTRIES, true), "diff").differences).toEqual([]);
  expect(modeOf(compared(state, 1, others, true), "diff").differences[0]?.after?.value).toBe("envbee:enc:v1:x");
});

it("a comparison says why the other place can't be read", () => {
  const [state] = openDiff(readyState(), 1);
  expect(modeOf(notCompared(state, 1, FAILURE), "diff")).toMatchObject({ phase: "failed", failure: FAILURE });
});

it("a comparison drops answers for another place and late answers", () => {
  for (const state of [openDiff(readyState(), 2)[0], readyState()]) {
    expect(compared(state, 1, OTHERS, true)).toBe(state);
    expect(notCompared(state, 1, FAILURE)).toBe(state);
  }
});

it("r reads the other place again, once", () => {
  const failed = notCompared(openDiff(readyState(), 1)[0], 1, FAILURE);
  const again = pressed(failed, press("r"));
  expect(again[1]).toEqual([{ type: "compare", place: 1 }]);
  expect(modeOf(again, "diff")).toMatchObject({ phase: "loading", failure: undefined });
  expect(pressed(again, press("r"))[1]).toEqual([]);
  expect(modeOf(compared(again[0], 1, OTHERS, true), "diff").phase).toBe("ready");
});

it("a comparison keeps its list and its cursor during another read", () => {
  const again = pressed(long(), press("end"), press("r"));
  expect(modeOf(again, "diff")).toMatchObject({ phase: "loading", cursor: 99 });
  expect(modeOf(again, "diff").differences).toHaveLength(100);
  expect(modeOf(compared(again[0], 1, [entry("A", 1, "NUMBER")], true), "diff")).toMatchObject({ cursor: 0, top: 0 });
});

it.each([
  ["down", 51],
  ["j", 51],
  ["up", 49],
  ["k", 49],
  ["pagedown", 64],
  ["pageup", 36],
  ["ctrl-d", 57],
  ["ctrl-u", 43],
  ["home", 0],
  ["g", 0],
  ["end", 99],
  ["G", 99],
])("%s moves through the differences and keeps the cursor visible", (key, cursor) => {
  const middle = pressed(long(), ...Array(50).fill(press("j")));
  const moved = modeOf(pressed(middle, press(key)), "diff");
  expect(moved.cursor).toBe(cursor);
  expect(moved.top).toBeLessThanOrEqual(cursor);
  expect(moved.top).toBeGreaterThan(cursor - 14);
});

it.each(["escape", "q", "d"])("%s closes a comparison", (key) => {
  expect(pressed(ready(), press(key))).toEqual(step(readyState()));
});

const revealed = ([state]: Step): State["revealed"] => state.revealed;

it("v reveals both values under the cursor for 30 seconds, and masks them again", () => {
  const shown = pressed(ready(), press("j"), press("v"));
  expect(revealed(shown)).toMatchObject({ names: new Set(["NEW"]), decrypted: new Map(), until: NOW + 30_000 });
  expect(revealed(pressed(shown, press("v")))).toBeUndefined();
});

it("v adds to the revealed values, and keeps decrypted ones", () => {
  const decrypted = new Map([["TOKEN", SECRET]]);
  const state = readyState(ENTRIES, { revealed: { names: new Set(["TOKEN"]), decrypted, until: NOW + 1_000 } });
  const shown = revealed(pressed(ready(state), press("v")));
  expect(shown).toMatchObject({ names: new Set(["TOKEN", "DATABASE_URL"]), decrypted, until: NOW + 30_000 });
});

it("V reveals all values for a minute, and V or v masks them", () => {
  const shown = pressed(ready(), press("V"));
  expect(revealed(shown)).toEqual({ names: "all", decrypted: new Map(), until: NOW + 60_000 });
  expect(revealed(pressed(shown, press("V")))).toBeUndefined();
  expect(revealed(pressed(shown, press("v")))).toBeUndefined();
});

it("v reveals nothing in an empty comparison", () => {
  expect(revealed(pressed(openDiff(readyState(), 1), press("v")))).toBeUndefined();
});

it("a comparison ignores other keys and pastes", () => {
  const start = ready();
  expect(pressed(start, press("x"), press("t"), paste("quit"), paste("escape"), paste("q"))).toEqual(step(start));
});

describe("the detail of a difference", () => {
  const text = (change: string) =>
    Array.from({ length: 60 }, (_, index) => (index % 20 === 10 ? `${change} ${index}` : `line ${index}`)).join("\n");
  const compare = (): Step =>
    pressed(
      compared(
        openDiff(readyState([entry("A", "1"), entry("TEXT", text("old"))]), 1)[0],
        1,
        [entry("TEXT", text("new"))],
        true,
      ),
      press("j"),
      press("v"),
    );
  const top = (...keys: readonly string[]) => modeOf(pressed(compare(), ...keys.map(press)), "diff").detailTop;

  it("Tab and Enter go to the detail and back, and keys of movement act there", () => {
    const focus = (...keys: readonly string[]) => modeOf(pressed(compare(), ...keys.map(press)), "diff").focus;
    expect([focus("tab"), focus("tab", "tab"), focus("enter"), focus("tab", "escape")]).toEqual([
      "detail",
      "list",
      "detail",
      "list",
    ]);
    expect(modeOf(pressed(compare(), press("tab"), press("k")), "diff").cursor).toBe(1);
    expect([top("tab", "j"), top("tab", "j", "j", "k"), top("tab", "end", "pagedown")]).toEqual([1, 1, 17]);
  });

  it("n and N go to the next and the previous change of the detail, or difference of the list", () => {
    expect([top("tab", "n"), top("tab", "n", "n"), top("tab", "n", "n", "N")]).toEqual([4, 13, 4]);
    expect(modeOf(pressed(compare(), press("N")), "diff").cursor).toBe(0);
    expect(modeOf(pressed(compare(), press("N"), press("n")), "diff").cursor).toBe(1);
  });

  it("the detail of another difference starts at its first line", () => {
    expect(top("tab", "j", "tab", "k")).toBe(0);
  });
});

describe("the filter of a comparison", () => {
  const names = (from: Step) => modeOf(from, "diff").differences.map(({ name }) => name);

  it("/ filters the differences while it is typed, and Enter keeps it", () => {
    const typed = pressed(ready(), press("/"), type("t"), type("o"));
    expect(names(typed)).toEqual(["TOKEN"]);
    expect(modeOf(pressed(typed, press("enter")), "diff")).toMatchObject({ typing: undefined, filter: "to" });
  });

  it("Esc removes the filter, and the cursor stays on its variable", () => {
    const kept = pressed(ready(), press("/"), type("t"), type("o"), press("enter"), press("escape"));
    expect(modeOf(kept, "diff")).toMatchObject({ filter: "", cursor: 3 });
    expect(names(kept)).toHaveLength(4);
    const restored = pressed(kept, press("/"), type("x"), press("escape"));
    expect([modeOf(restored, "diff").filter, names(restored)]).toEqual(["", names(kept)]);
  });
});

describe("acting on a difference", () => {
  const [DATABASE, PORT] = ENTRIES;
  const at = (cursor: number, state = ready()): Step => pressed(state, ...Array(cursor).fill(press("j")));
  const effects = (from: Step, key: string) => pressed(from, type(key))[1];
  const notice = (from: Step, key: string) => pressed(from, type(key))[0].notice?.text;

  it("y copies the value of the open place, and Y the one of the other", () => {
    expect(effects(at(0), "y")).toEqual([{ type: "copy", place: 0, entries: [DATABASE], format: "value" }]);
    expect(effects(at(0), "Y")).toEqual([{ type: "copy", place: 1, entries: [OTHERS[0]], format: "value" }]);
    expect([notice(at(1), "y"), notice(at(2), "Y")]).toEqual([
      "NEW has no value in shop/development",
      "PORT has no value in shop/test",
    ]);
  });

  it("> takes the value over to the other place, and < to the open one", () => {
    const assignment = (name: string, value: unknown) => ({ assignments: [expect.objectContaining({ name, value })] });
    expect(effects(at(2), ">")).toMatchObject([{ type: "assign", place: 1, ...assignment("PORT", 3000) }]);
    expect(effects(at(1), "<")).toMatchObject([{ type: "assign", place: 0, ...assignment("NEW", true) }]);
    expect([notice(at(1), ">"), notice(at(2), "<")]).toEqual([
      "NEW has no value in shop/development",
      "PORT has no value in shop/test",
    ]);
  });

  it("a read-only side says why it can't be changed", () => {
    const readOnly = compared(openDiff(readyState(ENTRIES, { loaded: { isEditable: false } }), 1)[0], 1, OTHERS, false);
    const reason = "is read-only: the variables of a server can't be edited here";
    expect([">", "<", "e"].map((key) => notice(at(0, readOnly), key))).toEqual([
      `shop/test ${reason}`,
      `shop/development ${reason}`,
      `shop/development ${reason}`,
    ]);
  });

  it("after a change of either place, the comparison is up to date again", () => {
    const edit = editOf("PORT", undefined, assignedIn(PORT as VariableEntry));
    const confirm = (place: number) => {
      const asked = modeOf(assigned(at(2)[0], "take-over", place, edit), "confirm");
      return update({ ...at(2)[0], mode: asked, writing: asked }, { type: "applied" });
    };
    const [other, toOther] = confirm(1);
    expect(toOther).toContainEqual({ type: "compare", place: 1 });
    const after = compared(other, 1, [...OTHERS, PORT as VariableEntry], true);
    expect([names(after), modeOf(after, "diff").phase]).toEqual([["DATABASE_URL", "NEW", "TOKEN"], "ready"]);
    const [open, toOpen] = confirm(0);
    expect(toOpen[0]).toMatchObject({ type: "load", place: 0 });
    const { generation } = open.loaded;
    const entries = ENTRIES.filter((item) => item !== PORT);
    const read = { type: "loaded", generation, now: NOW, asOf: NOW, entries, problem: undefined, requests: 1 } as const;
    expect(names(update(open, read)[0])).toEqual(["DATABASE_URL", "NEW", "TOKEN"]);
  });

  it("e edits the variable of the open place, and goes back to the comparison", () => {
    const editing = pressed(at(2), type("e"));
    expect(modeOf(editing, "form")).toMatchObject({ purpose: "edit", name: { text: "PORT" } });
    expect(modeOf(update(editing[0], { type: "key", key: press("escape") }), "diff").cursor).toBe(2);
    const edit = editOf("PORT", undefined, undefined);
    const asked = modeOf(confirmEdit(editing[0], "edit", 0, edit), "confirm");
    expect(applied({ ...editing[0], mode: asked, writing: asked })[0].mode.kind).toBe("diff");
  });

  it("u asks to undo the last edit, and goes back to the comparison", () => {
    const history = {
      done: [{ place: 1, purpose: "take-over" as const, edit: editOf("PORT", undefined, undefined) }],
      undone: [],
    };
    expect(modeOf(pressed({ ...ready(), history }, type("u")), "confirm").back.kind).toBe("diff");
  });

  const names = (state: State) => modeOf(state, "diff").differences.map(({ name }) => name);
});
