import chalk from "chalk";
import { beforeAll, describe, expect, it } from "vitest";
import { VariablesPanel } from "../../../src/tui/components/variables-panel.js";
import type { Entry } from "../../../src/tui/ports.js";
import type { State } from "../../../src/tui/state/state.js";
import { createTheme } from "../../../src/tui/theme.js";
import { ThemeContext } from "../../../src/tui/theme-context.js";
import { renderFrame } from "../support/render-frame.js";
import { ENTRIES, entry, NOW, readyState } from "../support/state.js";

const SIZE = { width: 60, height: 12 };

function panel(state: State, size = SIZE): string {
  return renderFrame(<VariablesPanel state={state} size={size} />, size.width);
}

it("shows name, type and mask of each variable, and nothing of what it holds", () => {
  const frame = panel(readyState());
  expect(frame).toMatch(/NAME +TYPE +VALUE/);
  expect(frame).toMatch(/› {2}DATABASE_URL +STRING +••••••••/);
  expect(frame).toMatch(/UNSET +BOOLEAN +\(no value\)/);
});

it("shows a description where there is room for it", () => {
  expect(panel(readyState())).not.toContain("Primary database");
  expect(panel(readyState(), { width: 92, height: 12 })).toContain("Primary database");
});

it("marks what is new and what has changed", () => {
  const kinds = new Map([["PORT", "changed"] as const, ["DEBUG", "added"] as const]);
  const frame = panel(readyState(ENTRIES, { marks: { kinds, until: NOW } }));
  expect(frame).toContain(" ~ PORT");
  expect(frame).toContain(" + DEBUG");
});

it("shows what a client has encrypted as that", () => {
  const entries = [entry("KEY", "envbee:enc:v1:abc"), entry("OPEN", "envbee:enc:v1:def")];
  const revealed = { names: "all", decrypted: new Map([["envbee:enc:v1:def", "sesame"]]), until: NOW } as const;
  const frame = panel(readyState(entries, { revealed }));
  expect(frame).toMatch(/KEY +STRING +\(encrypted\)/);
  expect(frame).toMatch(/OPEN +STRING +sesame/);
  expect(frame).not.toContain("envbee");
});

it("shows control characters and those that turn text around as escapes", () => {
  const entries = [entry("A", "x\u001b[2Jy\n\u202e")];
  const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
  const frame = panel(readyState(entries, { revealed }));
  expect(frame).toContain("x\\x1b[2Jy\\n\\u202e");
});

it("looks at no more of 100,000 variables than it shows", () => {
  const seen = new Set<PropertyKey>();
  const watched = <T extends object>(list: T): T => {
    return new Proxy(list, {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) seen.add(key);
        return Reflect.get(target, key, receiver);
      },
    });
  };
  const all = Array.from({ length: 100_000 }, (_, index): Entry => entry(`NAME_${index}`, "x"));
  const rows = watched(Array.from(all.keys()));
  const state = readyState(all, { loaded: { entries: watched(all) }, list: { rows, top: 50_000, cursor: 50_003 } });
  const frame = panel(state);
  expect(frame.match(/NAME_\d/g)).toHaveLength(9);
  expect(frame).toContain("Variables 50,004/100,000");
  expect(seen.size).toBe(9);
});

describe("with colours", () => {
  beforeAll(() => {
    const { level } = chalk;
    chalk.level = 3;
    return () => {
      chalk.level = level;
    };
  });

  it("turns the row of the cursor inverse when it has the focus", () => {
    const inverse = "\u001b[7m";
    expect(panel(readyState(ENTRIES, { list: { cursor: 1 } })).split("\n")[3]).toContain(inverse);
    expect(panel(readyState(ENTRIES, { focus: "record" }))).not.toContain(inverse);
  });

  it("underlines in name and description what matches", () => {
    const state = readyState(ENTRIES, { list: { filter: "data", cursor: 1 } });
    const frame = panel(state, { width: 100, height: 12 });
    expect(frame).toMatch(/\u001b\[4m\u001b\[1mDATA\u001b/);
    expect(frame).toMatch(/Primary .*\u001b\[4m\u001b\[1mdata\u001b/);
  });

  it("uses no colour in the plain theme", () => {
    const theme = createTheme("plain");
    const element = <VariablesPanel state={readyState(ENTRIES, { list: { filter: "da" } })} size={SIZE} />;
    const frame = renderFrame(<ThemeContext.Provider value={theme}>{element}</ThemeContext.Provider>, SIZE.width);
    expect(frame).toContain("\u001b[1m");
    expect(frame).not.toMatch(/\u001b\[(3[0-8]|4[0-8]|9\d)/);
  });
});

describe("where there is no list", () => {
  const none = { isComplete: false, asOf: undefined, nextAt: undefined } as const;

  it("says how far it is read", () => {
    expect(panel(readyState([], { loaded: { ...none, phase: "loading", total: 100_000 } }))).toContain(
      "reading shop/development… 0 of 100,000",
    );
  });

  it("says how to add one, where that can be", () => {
    expect(panel(readyState([]))).toContain("no variables yet; a adds one");
    expect(panel(readyState([], { loaded: { isEditable: false } }))).not.toContain("a adds one");
  });

  it("says how to get out of a filter that nothing matches", () => {
    expect(panel(readyState(ENTRIES, { list: { rows: [], filter: "xyz" } }))).toContain(
      'nothing matches "xyz"; Esc clears the filter',
    );
  });

  it("says why it can't be read, and when it is tried again", () => {
    const failure = { code: "unreachable", message: "nothing listens on http://127.0.0.1:7400" };
    const frame = panel(readyState([], { loaded: { ...none, phase: "failed", failure, nextAt: NOW + 12_000 } }));
    expect(frame).toContain("✗ nothing listens on http://127.0.0.1:7400");
    expect(frame).toContain("trying again in 12 s; r tries now");
  });

  it("counts down to the end of a rate limit", () => {
    const failure = { code: "rate_limited", message: "too many requests" };
    const frame = panel(readyState([], { loaded: { ...none, phase: "failed", failure, nextAt: NOW + 11_500 } }));
    expect(frame).toContain("✗ rate limit reached: trying again in 12 s");
  });

  it("names the profile whose credentials were refused, and what checks them", () => {
    const places = [{ name: "staging", kind: "profile", detail: "https://config.example.com" }] as const;
    const failure = { code: "unauthorized", message: "the server refused the credentials" };
    const frame = panel(readyState([], { places, loaded: { ...none, phase: "failed", failure } }));
    expect(frame).toContain("✗ profile staging: the server refused the credentials");
    expect(frame).toContain("check them with: appvars doctor --profile staging");
    expect(frame).toContain("appvars profile add staging --force");
  });
});

it("keeps the list when it can't be read again, and says so above it", () => {
  const failure = { code: "unreachable", message: "connection refused" };
  const frame = panel(readyState(ENTRIES, { loaded: { failure, nextAt: NOW + 5_000 } }));
  expect(frame).toContain("✗ trying again in 5 s: connection refused");
  for (const { variable } of ENTRIES) expect(frame).toContain(variable.name);
});

it("says above the list what the source says is wrong with it", () => {
  expect(panel(readyState(ENTRIES, { loaded: { problem: "the data file is broken" } }))).toContain(
    "! the data file is broken",
  );
});

it("tells a value that is empty from one that is not there", () => {
  const entries = [entry("EMPTY", ""), entry("UNSET")];
  const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
  const frame = panel(readyState(entries, { revealed }));
  expect(frame).toMatch(/EMPTY +STRING +\(empty\)/);
  expect(frame).toMatch(/UNSET +STRING +\(no value\)/);
});
