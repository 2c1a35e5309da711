import { describe, expect, test } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import { update } from "../../../src/tui/program/update.js";
import { isReading } from "../../../src/tui/reading/loading.js";
import { isRevealed, shownValue } from "../../../src/tui/reading/reveal.js";
import { selectedEntry } from "../../../src/tui/reading/selection.js";
import type { Effect } from "../../../src/tui/state/effects.js";
import type { Message } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { entry, loadingState, NOW, paste, press, readyState, type } from "../support/state.js";
import { CONFIRMATION } from "../support/test-modes.js";

const entries = [
  entry("DATABASE_URL", "postgres://secret", "STRING", "Primary database"),
  entry("PORT", 3000, "NUMBER", "Where the shop listens"),
  entry("DEBUG", false, "BOOLEAN"),
  entry("FLAGS", { a: 1 }, "JSON"),
  entry("TOKEN", "envbee:enc:v1:abc"),
  entry("EMPTY"),
];

/** The state after keys, and all their effects. Text is typed letter by letter. */
/** Effects but for looks at other environments, which follow the cursor. */
function wanted(effects: readonly Effect[]): Effect[] {
  return effects.filter((effect) => effect.type !== "lookUp");
}

function typed(state: State, ...keys: readonly (Key | string)[]): { state: State; effects: Effect[] } {
  const effects: Effect[] = [];
  const pressed = keys.flatMap((key) => (typeof key === "string" ? [...key].map(type) : [key]));
  const last = pressed.reduce((before, key) => {
    const [next, more] = update(before, { type: "key", key });
    effects.push(...wanted(more));
    return next;
  }, state);
  return { state: last, effects };
}

function send(state: State, message: Message): State {
  return update(state, message)[0];
}

function selected(state: State): string | undefined {
  return selectedEntry(state)?.variable.name;
}

function shownNames({ list, loaded }: State): (string | undefined)[] {
  return list.rows.map((row) => loaded.entries[row]?.variable.name);
}

describe("moving", () => {
  test.each([
    ["j", "PORT"],
    ["down", "PORT"],
    ["G", "EMPTY"],
    ["end", "EMPTY"],
  ])("in the list %s goes to %s", (key, name) => {
    const { state } = typed(readyState(entries), key.length === 1 ? key : press(key));
    expect(selected(state)).toBe(name);
  });

  test.each(["k", "g"])("in the list %s goes back up", (key) => {
    expect(selected(typed(readyState(entries), "j", key).state)).toBe("DATABASE_URL");
  });

  test("the record of another variable starts at its first line", () => {
    const { state } = typed(readyState(entries, { recordTop: 7 }), "j");
    expect(state.recordTop).toBe(0);
  });

  test("the list keeps its cursor visible when the terminal gets smaller", () => {
    const many = Array.from({ length: 100 }, (_, index) => entry(`N${index}`, index, "NUMBER"));
    const { state } = typed(readyState(many, { columns: 160, rows: 40 }), "G");
    expect(state.list.top).toBe(100 - 35);
    const smaller = send(state, { type: "resize", columns: 60, rows: 15 });
    expect(smaller.list.cursor - smaller.list.top).toBeLessThan(10);
    expect(smaller.list.top).toBeLessThanOrEqual(smaller.list.cursor);
  });

  test("the cursor moves while the list is still being read", () => {
    const some = send(loadingState(), { type: "progress", generation: 1, entries, total: 1_000 });
    expect(selected(typed(some, "jj").state)).toBe("DEBUG");
  });
});

describe("panels", () => {
  test("tab, l and right go to the next panel; shift-tab, h and left to the previous one", () => {
    const focus = (...keys: (Key | string)[]) => typed(readyState(entries), ...keys).state.focus;
    expect([focus(press("tab")), focus("l"), focus(press("right"))]).toEqual(["record", "record", "record"]);
    expect([focus(press("shift-tab")), focus("h"), focus(press("left"))]).toEqual(["places", "places", "places"]);
    expect(focus("lll")).toBe("variables");
  });

  test("enter on a variable goes to its record and back", () => {
    expect(typed(readyState(entries), press("enter")).state.focus).toBe("record");
    expect(typed(readyState(entries), press("enter"), press("enter")).state.focus).toBe("variables");
  });

  test("enter on another place opens it", () => {
    const { state, effects } = typed(readyState(entries), "hj", press("enter"));
    expect(state).toMatchObject({ place: 1, focus: "variables", loaded: { isComplete: false, entries: [] } });
    expect(effects).toEqual([{ type: "load", place: 1, generation: 2, known: [] }]);
  });

  test("the cursor returns to the open place if no other was opened", () => {
    expect(typed(readyState(entries), "hj", press("escape")).state).toMatchObject({
      placeCursor: 0,
      focus: "variables",
    });
  });

  test("a long record scrolls to its end only", () => {
    const long = [
      entry(
        "LONG",
        Array.from({ length: 200 }, (_, index) => index),
        "JSON",
      ),
    ];
    const shown = typed(readyState(long), "vl");
    const { recordTop } = typed(shown.state, "G").state;
    expect(recordTop).toBeGreaterThan(100);
    expect(typed(shown.state, "Gj").state.recordTop).toBe(recordTop);
    expect(typed(shown.state, "Gk").state.recordTop).toBe(recordTop - 1);
  });
});

describe("a key acts on the focused panel", () => {
  const inPlaces = (...keys: string[]) => typed(readyState(entries), "h", ...keys);

  test.each(["x", "e", "y", "v", "t", "s", "a"])("with the places focused %s does nothing", (key) => {
    const { state, effects } = inPlaces("j", key);
    expect(state.notice?.text).toMatch(/^"[a-z-]+" doesn't work in the list of places; Esc goes to the variables$/);
    expect([state.mode.kind, state.revealed, effects]).toEqual(["browse", undefined, []]);
  });

  test("with the places focused d compares with the place under the cursor", () => {
    expect(inPlaces("jj", "d").effects).toEqual([{ type: "compare", place: 2 }]);
    expect(inPlaces("d").state.mode.kind).toBe("pick");
  });

  test("with the places focused / finds a place by its name", () => {
    expect(inPlaces("/").state.mode).toMatchObject({ kind: "command", field: { text: "open " } });
  });

  test("in the record commands act on its variable", () => {
    expect(typed(readyState(entries), "jly").effects).toMatchObject([
      { type: "copy", entries: [entries[1]], format: "value" },
    ]);
  });
});

describe("filter, type and sort", () => {
  test("the list follows each letter of a filter, the best matches first", () => {
    const { state } = typed(readyState(entries), "j/po");
    expect(shownNames(state)).toEqual(["PORT"]);
    expect(state.mode.kind).toBe("filter");
  });

  test("enter keeps the filter, and escape clears it", () => {
    const kept = typed(readyState(entries), "/url", press("enter")).state;
    expect([kept.mode.kind, kept.list.filter]).toEqual(["browse", "url"]);
    expect(typed(kept, press("escape")).state.list.filter).toBe("");
  });

  test("escape while typing restores the previous filter", () => {
    const kept = typed(readyState(entries), "/url", press("enter")).state;
    expect(typed(kept, "/x", press("escape")).state.list.filter).toBe("url");
  });

  test("letters of commands are text in a filter", () => {
    const { state, effects } = typed(readyState(entries), "/qvyx");
    expect([state.list.filter, effects]).toEqual(["qvyx", []]);
  });

  test("arrows move in the list while a filter is typed", () => {
    expect(selected(typed(readyState(entries), "/e", press("down")).state)).not.toBe(
      selected(typed(readyState(entries), "/e").state),
    );
  });

  test("backspace on an empty filter closes it", () => {
    expect(typed(readyState(entries), "/a", press("backspace"), press("backspace")).state.mode.kind).toBe("browse");
  });

  test("t shows each type, then all again", () => {
    const types = ["t", "tt", "ttt", "tttt", "ttttt"].map((keys) => typed(readyState(entries), keys).state.list.type);
    expect(types).toEqual(["STRING", "NUMBER", "BOOLEAN", "JSON", undefined]);
    expect(shownNames(typed(readyState(entries), "tt").state)).toEqual(["PORT"]);
  });

  test("s sorts by name, type and id, and keeps the cursor on its variable", () => {
    const sorted = typed(readyState(entries), "js").state;
    expect(shownNames(sorted)).toEqual(["DATABASE_URL", "DEBUG", "EMPTY", "FLAGS", "PORT", "TOKEN"]);
    expect(selected(sorted)).toBe("PORT");
    expect(typed(sorted, "ss").state.list.sort).toBe("id");
  });

  test.each([
    [":filter data", { filter: "data" }],
    [":type json", { type: "JSON" }],
    [":sort type", { sort: "type" }],
  ])("%s does the same as the key", (text, rules) => {
    expect(typed(readyState(entries), text, press("enter")).state.list).toMatchObject(rules);
  });

  test.each([":type jsno", ":sort nane"])("%s suggests the correct word", (text) => {
    expect(typed(readyState(entries), text, press("enter")).state.notice?.text).toMatch(/did you mean (json|name)\?/);
  });
});

describe("values", () => {
  const shown = ({ loaded, ...state }: State) =>
    loaded.entries.map((item) => shownValue(item, { loaded, ...state }).kind === "shown");

  test("all values are masked at first", () => {
    expect(shown(readyState(entries))).not.toContain(true);
  });

  test("v reveals a value for 30 seconds, and v again masks it", () => {
    const { state } = typed(readyState(entries), "v");
    expect(shown(state)).toEqual([true, false, false, false, false, false]);
    expect(shown(send(state, { type: "tick", now: NOW + 29_000 }))).toContain(true);
    expect(shown(send(state, { type: "tick", now: NOW + 30_000 }))).not.toContain(true);
    expect(shown(typed(state, "v").state)).not.toContain(true);
  });

  test("V reveals all values for a minute", () => {
    const { state } = typed(readyState(entries), "V");
    expect(shown(state)).toEqual([true, true, true, true, false, false]);
    expect(shown(send(state, { type: "tick", now: NOW + 60_000 }))).not.toContain(true);
    expect(shown(typed(state, "V").state)).not.toContain(true);
  });

  test("an encrypted value is decrypted when it is revealed", () => {
    const { state, effects } = typed(readyState(entries), "jjjjv");
    expect(effects).toEqual([{ type: "decrypt", entry: entries[4] }]);
    const plain = send(state, { type: "decrypted", sealed: "envbee:enc:v1:abc", text: "plain" });
    expect(shownValue(entries[4] as never, plain)).toEqual({ kind: "shown", text: "plain" });
    const masked = typed(plain, "v").state;
    expect(JSON.stringify([...(masked.revealed?.decrypted ?? [])])).not.toContain("plain");
  });

  test("decrypted text is shown only for its encrypted value", () => {
    const { state } = typed(readyState(entries), "jjjjv");
    const plain = send(state, { type: "decrypted", sealed: "envbee:enc:v1:abc", text: "plain" });
    const token = entries[4] as VariableEntry;
    const value = token.value && { ...token.value, content: { value: "envbee:enc:v1:other" } };
    const changed = entries.map((each) => (each === token ? { ...token, value } : each));
    const message = {
      type: "loaded",
      generation: 1,
      now: NOW,
      entries: changed,
      asOf: NOW,
      problem: undefined,
      requests: 3,
    };
    const [next, effects] = update(plain, message as Message);
    expect(shownValue({ ...token, value }, next)).toEqual({ kind: "encrypted" });
    expect(wanted(effects)).toMatchObject([{ type: "decrypt", entry: { value } }]);
  });

  test("each value is masked after its own time, and its decrypted text is forgotten", () => {
    const { state } = typed(readyState(entries), "v", "jjjj");
    const later = send({ ...state, now: NOW + 25_000 }, { type: "key", key: type("v") });
    const both = send(later, { type: "decrypted", sealed: "envbee:enc:v1:abc", text: "plain" });
    const first = send(both, { type: "tick", now: NOW + 31_000 });
    expect([isRevealed(first.revealed, "DATABASE_URL"), isRevealed(first.revealed, "TOKEN")]).toEqual([false, true]);
    expect(first.revealed?.decrypted.size).toBe(1);
    const again = typed(first, "k", "v", "j", "v").state;
    expect([[...(again.revealed?.names ?? [])], again.revealed?.decrypted.size]).toEqual([["FLAGS"], 0]);
    expect(send(first, { type: "tick", now: NOW + 56_000 }).revealed).toBeUndefined();
  });

  test("values that v reveals in a question are masked after 30 seconds", () => {
    const asking = readyState(entries, { mode: CONFIRMATION });
    const { state } = typed(asking, "v");
    expect(send(state, { type: "tick", now: NOW + 29_000 }).mode).toMatchObject({ isRevealed: true });
    expect(send(state, { type: "tick", now: NOW + 30_000 }).mode).toMatchObject({ isRevealed: false });
  });

  test("the values of another place are masked", () => {
    expect(typed(readyState(entries), "V", "hj", press("enter")).state.revealed).toBeUndefined();
  });

  test("y copies a value", () => {
    const effects = [{ type: "copy", place: 0, entries: [entries[0]], format: "value" }];
    expect(typed(readyState(entries), "y").effects).toEqual(effects);
  });

  test("a variable without a value can't be copied", () => {
    const { state, effects } = typed(readyState(entries), "Gy");
    expect([state.notice, effects]).toMatchObject([{ tone: "error", text: "EMPTY has no value here" }, []]);
  });

  test.each([
    [{ kind: "clipboard" } as const, "copied PORT to the clipboard"],
    [{ kind: "terminal", reason: "no xclip" } as const, "sent PORT to the terminal's clipboard (OSC 52): no xclip"],
    [{ kind: "failed", reason: "too long" } as const, "can't copy PORT: too long"],
  ])("a notice says whether a copy worked", (outcome, text) => {
    expect(send(readyState(entries), { type: "copied", what: "PORT", outcome }).notice?.text).toContain(text);
  });
});

describe("time", () => {
  test("notices and recent changes expire", () => {
    const state = {
      ...readyState(entries),
      notice: { text: "copied", tone: "info", until: NOW + 5_000 } as const,
      recentChanges: { kinds: new Map([["PORT", "changed"] as const]), until: NOW + 60_000 },
    };
    const later = send(state, { type: "tick", now: NOW + 5_000 });
    expect([later.notice, later.recentChanges === undefined]).toEqual([undefined, false]);
    expect(send(state, { type: "tick", now: NOW + 60_000 }).recentChanges).toBeUndefined();
  });

  test("a tick starts a read that is due", () => {
    expect(update(readyState(entries), { type: "tick", now: NOW + 1_000 })[1]).toMatchObject([{ type: "load" }]);
  });
});

test("an older notice doesn't hide the keys of a new mode", () => {
  const told = readyState(entries, { notice: { text: "copied", tone: "success", until: NOW + 5_000 } });
  for (const key of ["a", "e", "?", ":", "/"]) expect(typed(told, key).state.notice).toBeUndefined();
  expect(typed(told, "j").state.notice?.text).toBe("copied");
  const edit = { changes: [{ name: "PORT", before: undefined, after: undefined }] };
  expect(send(told, { type: "assigned", place: 0, purpose: "delete", edit }).notice).toBeUndefined();
});

describe("late messages", () => {
  test("late messages about another place are ignored", () => {
    const { state } = typed(readyState(entries), "hj", press("enter"));
    const late: Message = {
      type: "loaded",
      generation: 1,
      now: NOW,
      entries,
      asOf: NOW,
      problem: undefined,
      requests: 3,
    };
    expect(send(state, late)).toBe(state);
  });
});

describe("r, q, ctrl-c, ctrl-z", () => {
  test("r reads again at once, after a failure too", () => {
    const failed = send(loadingState(), {
      type: "failed",
      generation: 1,
      now: NOW,
      failure: { code: "unauthorized", message: "refused" },
    });
    const { state, effects } = typed(failed, "r");
    expect(effects).toMatchObject([{ type: "load", generation: 2 }]);
    expect([isReading(state.loaded), state.loaded.failure]).toEqual([true, undefined]);
  });

  test("q quits", () => {
    expect(typed(readyState(entries), "q").effects).toEqual([{ type: "quit" }]);
  });

  test.each(["/", ":", "?", "a", "x", "d"])("ctrl-c quits and ctrl-z suspends after %s too", (key) => {
    expect(typed(readyState(entries), key, press("ctrl-c")).effects).toContainEqual({ type: "quit" });
    expect(typed(readyState(entries), key, press("ctrl-z")).effects).toContainEqual({ type: "suspend" });
  });

  test("a paste runs no command", () => {
    const state = readyState(entries);
    expect(typed(state, paste("quit\n"), paste("enter"), paste("x")).state).toEqual(state);
  });
});

describe(":open", () => {
  test(":open opens a place by its name", () => {
    expect(typed(readyState(entries), ":open shop/production", press("enter")).state.place).toBe(2);
  });

  test(":open suggests the correct name", () => {
    const { state } = typed(readyState(entries), ":open shop/produktion", press("enter"));
    expect(state.notice?.text).toBe('there is no place "shop/produktion" (did you mean shop/production?)');
  });
});
