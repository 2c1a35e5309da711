import chalk from "chalk";
import { beforeAll, describe, expect, it } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import { variablesPanel } from "../../../src/tui/screens/list.js";
import type { State } from "../../../src/tui/state/state.js";
import { paintLine } from "../../../src/tui/text/line.js";
import { createTheme } from "../../../src/tui/text/theme.js";
import { panelLines } from "../../../src/tui/view/panel.js";
import { ENTRIES, entry, NOW, readyState } from "../support/state.js";

const SIZE = { width: 60, height: 12 };

function panel(state: State, size = SIZE): string {
  const theme = createTheme("plain");
  return panelLines(variablesPanel(state, size), size)
    .map((line) => paintLine(line, theme))
    .join("\n");
}

it("the list shows name, type and a mask for each variable", () => {
  const frame = panel(readyState());
  expect(frame).toMatch(/NAME +TYPE +VALUE/);
  expect(frame).toMatch(/› {2}DATABASE_URL +STRING +••••••••/);
  expect(frame).toMatch(/UNSET +BOOLEAN +\(no value\)/);
});

it("the list shows descriptions if there is room", () => {
  expect(panel(readyState())).not.toContain("Primary database");
  expect(panel(readyState(), { width: 92, height: 12 })).toContain("Primary database");
});

it.each([
  [false, "NAME ↑"],
  [true, "NAME ↓"],
])("the heading shows the direction of the order (reversed: %s)", (isReversed, heading) => {
  expect(panel(readyState(ENTRIES, { list: { sort: "name", isReversed } }))).toContain(` ${heading} `);
});

it("the list marks new and changed variables", () => {
  const kinds = new Map([["PORT", "changed"] as const, ["DEBUG", "added"] as const]);
  const frame = panel(readyState(ENTRIES, { recentChanges: { kinds, until: NOW } }));
  expect(frame).toContain(" ~ PORT");
  expect(frame).toContain(" + DEBUG");
});

it("the list shows encrypted values as encrypted", () => {
  const entries = [entry("KEY", "envbee:enc:v1:abc"), entry("OPEN", "envbee:enc:v1:def")];
  const revealed = { names: "all", decrypted: new Map([["envbee:enc:v1:def", "sesame"]]), until: NOW } as const;
  const frame = panel(readyState(entries, { revealed }));
  expect(frame).toMatch(/KEY +STRING +\(encrypted\)/);
  expect(frame).toMatch(/OPEN +STRING +sesame/);
  expect(frame).not.toContain("envbee");
});

it("the list escapes control and bidirectional characters", () => {
  const entries = [entry("A", "\u001b[J\n\u202e")];
  const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
  const frame = panel(readyState(entries, { revealed }));
  expect(frame).toContain("\\x1b[J\\n\\u{202e}");
});

it("the list formats only visible variables of 100,000", () => {
  const seen = new Set<PropertyKey>();
  const watched = <T extends object>(list: T): T => {
    return new Proxy(list, {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) seen.add(key);
        return Reflect.get(target, key, receiver);
      },
    });
  };
  const all = Array.from({ length: 100_000 }, (_, index): VariableEntry => entry(`NAME_${index}`, "x"));
  const rows = watched(Array.from(all.keys()));
  const state = readyState(all, { loaded: { entries: watched(all) }, list: { rows, top: 50_000, cursor: 50_003 } });
  // The widest name is searched once.
  panel(state);
  seen.clear();
  const frame = panel({ ...state, now: NOW + 1 });
  expect(frame.match(/NAME_\d/g)).toHaveLength(9);
  expect(frame).toContain("Variables 50,004/100,000");
  expect(seen.size).toBe(9);
});

describe("with colors", () => {
  beforeAll(() => {
    const { level } = chalk;
    chalk.level = 3;
    return () => {
      chalk.level = level;
    };
  });

  it("the row under the cursor is inverse if the list has the focus", () => {
    const inverse = "\u001b[7m";
    expect(panel(readyState(ENTRIES, { list: { cursor: 1 } })).split("\n")[3]).toContain(inverse);
    expect(panel(readyState(ENTRIES, { focus: "record" }))).not.toContain(inverse);
  });

  it("matches are underlined in names and descriptions", () => {
    const state = readyState(ENTRIES, { list: { filter: "data", cursor: 1 } });
    const frame = panel(state, { width: 100, height: 12 });
    expect(frame).toMatch(/\u001b\[4m\u001b\[1mDATA\u001b/);
    expect(frame).toMatch(/Primary .*\u001b\[4m\u001b\[1mdata\u001b/);
  });

  it("the list has no colors in the plain theme", () => {
    const frame = panel(readyState(ENTRIES, { list: { filter: "da" } }));
    expect(frame).toContain("\u001b[1m");
    expect(frame).not.toMatch(/\u001b\[(3[0-8]|4[0-8]|9\d)/);
  });
});

describe("where there is no list", () => {
  const none = { isComplete: false, asOf: undefined, nextAt: undefined } as const;

  it("an empty list shows the progress of the first read", () => {
    expect(panel(readyState([], { loaded: { ...none, total: 100_000 } }))).toContain(
      "reading shop/development… 0 of 100,000",
    );
  });

  it("an empty list says how to add a variable", () => {
    expect(panel(readyState([]))).toContain("no variables yet; a adds one");
    expect(panel(readyState([], { loaded: { isEditable: false } }))).not.toContain("a adds one");
  });

  it("an empty list says how to clear a filter without matches", () => {
    expect(panel(readyState(ENTRIES, { list: { rows: [], filter: "xyz" } }))).toContain(
      'nothing matches "xyz"; Esc clears the filter',
    );
  });

  it("an empty list says which types a filter can have", () => {
    expect(panel(readyState(ENTRIES, { list: { rows: [], filter: "type:foo" } }))).toContain(
      "there is no type foo; use string, number, boolean, json",
    );
  });

  it("an empty list says why it can't be read, and when the next try is", () => {
    const failure = { code: "unreachable", message: "nothing listens on http://127.0.0.1:7400" };
    const frame = panel(readyState([], { loaded: { ...none, failure, nextAt: NOW + 12_000 } }));
    expect(frame).toContain("✗ nothing listens on http://127.0.0.1:7400");
    expect(frame).toContain("trying again in 12 s; r tries now");
  });

  it("an empty list counts down to the end of a rate limit", () => {
    const failure = { code: "rate_limited", message: "too many requests" };
    const frame = panel(readyState([], { loaded: { ...none, failure, nextAt: NOW + 11_500 } }));
    expect(frame).toContain("✗ rate limit reached: trying again in 12 s");
  });

  it("an empty list names the profile with refused credentials and how to check them", () => {
    const places = [
      { name: "staging", group: "data.json", kind: "profile", detail: "https://config.example.com" },
    ] as const;
    const failure = { code: "unauthorized", message: "the server refused the credentials" };
    const frame = panel(readyState([], { places, loaded: { ...none, failure } }));
    expect(frame).toContain("✗ profile staging: the server refused the credentials");
    expect(frame).toContain("check them with: appvars doctor --profile staging");
    expect(frame).toContain("appvars profile add staging --force");
  });
});

it("a failure is shown above the last list", () => {
  const failure = { code: "unreachable", message: "connection refused" };
  const frame = panel(readyState(ENTRIES, { loaded: { failure, nextAt: NOW + 5_000 } }));
  expect(frame).toContain("✗ trying again in 5 s: connection refused");
  for (const { variable } of ENTRIES) expect(frame).toContain(variable.name);
});

it("a problem of the source is shown above the list", () => {
  expect(panel(readyState(ENTRIES, { loaded: { problem: "the data file is broken" } }))).toContain(
    "! the data file is broken",
  );
});

it("an empty value is shown differently from a missing one", () => {
  const entries = [entry("EMPTY", ""), entry("UNSET")];
  const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
  const frame = panel(readyState(entries, { revealed }));
  expect(frame).toMatch(/EMPTY +STRING +\(empty\)/);
  expect(frame).toMatch(/UNSET +STRING +\(no value\)/);
});
