import { stripVTControlCharacters } from "node:util";
import { render } from "ink-testing-library";
import stringWidth from "string-width";
import { describe, expect, it, onTestFinished } from "vitest";
import { quit } from "../../../src/tui/edit/form.js";
import { App } from "../../../src/tui/program/app.js";
import { footerLines } from "../../../src/tui/program/footer.js";
import { PANELS, type PanelName, type State } from "../../../src/tui/state/state.js";
import { textField } from "../../../src/tui/widgets/text-field.js";
import { dangers, HOSTILE } from "../../support/hostile.js";
import { renderFrame } from "../support/render-frame.js";
import { ENTRIES, entry, NOW, readyState, SECRET } from "../support/state.js";
import { COMMANDS } from "../support/test-commands.js";
import { FORM, MODES } from "../support/test-modes.js";

const SIZES = [
  [60, 15],
  [160, 45],
] as const;

const FAMILY = "👨‍👩‍👧‍👦";

const WIDE_ENTRIES = [
  entry(
    "日本語の名前がとても長いのでここで切れます日本語の名前",
    `値段は百円です${FAMILY}🇩🇪`,
    "STRING",
    "説明 👋🏽 ünïcödé e\u0301",
  ),
  entry("\u001b[2J\u200b\u0301", "a\u001b[31mb\tc\nd\u202e\u2028e\ud800", "STRING", "tab\there"),
  ...ENTRIES,
  entry("KEY", SECRET, "STRING", "a secret"),
];

function frameOf(state: State): string[] {
  return renderFrame(<App state={state} commands={COMMANDS} />, state.columns).split("\n");
}

function expectSize(state: State): void {
  const lines = frameOf(state);
  expect(lines).toHaveLength(state.rows);
  for (const line of lines.slice(1, -footerLines(state, COMMANDS).length))
    expect(stringWidth(line), line).toBe(state.columns);
  for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(state.columns);
  expect(dangers(stripVTControlCharacters(lines.join("\n")).replaceAll(FAMILY, ""))).toEqual([]);
}

/** The same with hostile text appended to all text, except for a few keywords. */
function hostile<T>(part: T): T {
  return JSON.parse(JSON.stringify(part), (key, item) => {
    return typeof item !== "string" || WORDS.includes(key) ? item : `${item}${HOSTILE}`;
  });
}

const WORDS = ["kind", "type", "purpose", "phase", "field", "code", "tone", "sort", "only"];

const FAILURE = { code: "server_error", message: "the server says: " };

describe.each(SIZES)("at %dx%d", (columns, rows) => {
  const base = { columns, rows };

  it.each(MODES.map((mode) => [mode.kind, mode] as const))("mode %s fills the screen", (_kind, mode) => {
    expectSize(readyState(WIDE_ENTRIES, { ...base, mode }));
  });

  it.each(PANELS)("the focus on %s fills the screen, with any characters in values", (focus: PanelName) => {
    const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
    for (const cursor of WIDE_ENTRIES.keys()) {
      expectSize(readyState(WIDE_ENTRIES, { ...base, focus, revealed, list: { cursor, filter: "日 a" } }));
    }
  });

  it("no mode shows a value while none is revealed", () => {
    for (const mode of MODES) {
      const state = readyState(WIDE_ENTRIES, { ...base, mode, list: { cursor: WIDE_ENTRIES.length - 1 } });
      const frame = frameOf(state).join("\n");
      expect(frame, mode.kind).not.toContain(SECRET);
      expect(frame, mode.kind).not.toContain("3000");
    }
  });
});

/** A state with hostile text in all that it shows. */
function hostileState(change: Partial<State>): State {
  const ready = readyState(hostile(ENTRIES), { columns: 160, rows: 40 });
  const notice = hostile({ text: "copied", tone: "error", until: NOW + 1 } as const);
  const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
  return { ...ready, revealed, places: hostile(ready.places), notice, ...change };
}

it.each(MODES.map((mode) => [mode.kind, mode] as const))("mode %s escapes hostile text", (_kind, mode) => {
  expectSize(hostileState({ mode: hostile(mode) }));
});

it.each(PANELS)("the focus on %s escapes hostile text, also in problems and filters", (focus) => {
  const state = hostileState({ focus });
  const failure = hostile(FAILURE);
  expectSize(state);
  expectSize({ ...state, loaded: { ...state.loaded, problem: HOSTILE } });
  expectSize({ ...state, loaded: { ...state.loaded, failure }, list: { ...state.list, filter: HOSTILE } });
  expectSize({ ...state, loaded: { ...state.loaded, isComplete: false, entries: [], failure } });
});

it("the screen shows revealed values only", () => {
  const revealed = { names: new Set(["PORT"]), decrypted: new Map(), until: NOW };
  const frame = frameOf(readyState(ENTRIES, { revealed })).join("\n");
  expect(frame).toContain("3000");
  expect(frame).not.toContain(SECRET);
});

it.each([
  [59, 15],
  [60, 14],
  [20, 5],
  [1, 1],
])("the screen says that %dx%d is too small", (columns, rows) => {
  const lines = frameOf(readyState(ENTRIES, { columns, rows }));
  expect(lines).toHaveLength(rows);
  const shown = lines.map((line) => line.trim()).join("");
  expect("Too small: 60x15 is needed. Ctrl-C quits.".replaceAll(" ", "")).toContain(shown.replaceAll(" ", ""));
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
});

it("a screen that is too small warns of the changes that a second Ctrl-C would lose", () => {
  const form: State = {
    ...readyState(ENTRIES, { columns: 50, rows: 12 }),
    mode: { ...FORM, value: textField("typed") },
  };
  expect(frameOf(quit(form)[0]).join(" ")).toMatch(/^Quit, and lose your changes\? Ctrl-C\s+again quits\./);
});

it("the panel with the focus is recognizable without colors", () => {
  for (const focus of PANELS) {
    const [, top = ""] = frameOf(readyState(ENTRIES, { columns: 160, rows: 40, focus }));
    const titles = { places: "Environments", variables: "Variables", record: "DATABASE_URL" };
    expect(top).toContain(`━ ▶ ${titles[focus]}`);
    expect(top.match(/▶/g)).toHaveLength(1);
  }
});

it("a new frame contains nothing of the previous one", () => {
  const state = readyState(ENTRIES, { columns: 100, mode: { kind: "help", top: 0 } });
  const { lastFrame, rerender, unmount } = render(<App state={state} commands={COMMANDS} />);
  onTestFinished(unmount);
  expect(lastFrame()).toContain("▶ Help");
  rerender(<App state={{ ...state, mode: { kind: "browse" } }} commands={COMMANDS} />);
  expect(lastFrame()).toContain("▶ Variables 1/6");
  expect(lastFrame()).not.toContain("Help");
});
