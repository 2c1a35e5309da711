import { describe, expect, it } from "vitest";
import { ConfirmPanel } from "../../../src/tui/components/confirm-panel.js";
import { DiffPanel } from "../../../src/tui/components/diff-panel.js";
import { FormPanel } from "../../../src/tui/components/form-panel.js";
import type { Comparison, Confirmation, Form, Revealed } from "../../../src/tui/state/state.js";
import { textField } from "../../../src/tui/state/text-field.js";
import { renderFrame } from "../support/render-frame.js";
import { ENTRIES, NOW, readyState, SECRET } from "../support/state.js";
import { CONFIRMATION, DIFFERENCES, FORM } from "../support/test-modes.js";

const SIZE = { width: 80, height: 20 };

describe("a confirmation", () => {
  const panel = (mode: Confirmation, size = SIZE) => {
    return renderFrame(<ConfirmPanel state={readyState()} mode={mode} size={size} />, size.width);
  };

  it("asks with the lines that differ, and masks the values", () => {
    const frame = panel(CONFIRMATION);
    expect(frame).toContain("change FLAGS in shop/development?");
    expect(frame).toMatch(/description {2}- Feature flags/);
    expect(frame).toContain("+ Flags");
    expect(frame).toMatch(/value +- ••••••••/);
    expect(frame).toContain("+ ••••••••");
    expect(frame).toContain("y change  n back");
  });

  it("shows the values where they are revealed, line by line", () => {
    const frame = panel({ ...CONFIRMATION, isRevealed: true });
    expect(frame).toContain("-     3");
    expect(frame).toContain("+     4");
    expect(frame).toContain("… 5 equal lines");
  });

  it("never shows what a client has encrypted", () => {
    const before = { type: "STRING", description: "", value: "envbee:enc:v1:abc" } as const;
    const edit = { name: "KEY", before, after: { ...before, value: "envbee:enc:v1:def" } };
    const frame = panel({ ...CONFIRMATION, edit, isRevealed: true });
    expect(frame).toContain("- (encrypted)");
    expect(frame).toContain("+ (encrypted)");
    expect(frame).not.toContain("envbee");
  });

  it.each([
    ["add", "add FLAGS to shop/development?"],
    ["delete", "delete FLAGS from shop/development?"],
    ["undo", "undo the last edit of FLAGS in shop/development?"],
  ] as const)("asks before an %s", (purpose, question) => {
    expect(panel({ ...CONFIRMATION, purpose })).toContain(question);
  });

  it("scrolls what is too long, and never hides the problem nor the keys", () => {
    const edit = { ...CONFIRMATION.edit, after: undefined };
    const mode = { ...CONFIRMATION, edit, isRevealed: true, problem: "it has changed meanwhile" };
    const frame = panel(mode, { width: 60, height: 12 });
    expect(frame).toContain("change FLAGS");
    expect(frame).toMatch(/ 1-7\/\d+ /);
    const scrolled = panel({ ...mode, top: 3 }, { width: 60, height: 12 });
    expect(scrolled).not.toContain("change FLAGS");
    expect(scrolled).toMatch(/ 4-10\/\d+ /);
    for (const each of [frame, scrolled]) {
      expect(each).toContain("✗ it has changed meanwhile");
      expect(each).toContain("y change");
    }
  });

  it("shows where two long lines differ, whole", () => {
    const url = (port: number) => `postgres://user:password@${"very-long-host-name.".repeat(6)}example:${port}/shop`;
    const assigned = (port: number) => ({ type: "STRING" as const, description: "", value: url(port) });
    const edit = { name: "URL", before: assigned(5432), after: assigned(5433) };
    const frame = panel({ ...CONFIRMATION, edit, isRevealed: true }, { width: 60, height: 20 });
    expect(frame).toMatch(/- … \d+ equal characters …/);
    expect(frame).toContain("5432/shop");
    expect(frame).toContain("5433/shop");
  });

  it("shows what was typed of a value that is encrypted, and not what it is encrypted to", () => {
    const sealed = (value: string) => ({ type: "STRING" as const, description: "", value });
    const edit = { name: "KEY", before: sealed("envbee:enc:v1:a"), after: sealed("envbee:enc:v1:b") };
    const form = { ...FORM, value: textField("typed") };
    const frame = panel({ ...CONFIRMATION, edit, form, isRevealed: true });
    expect(frame).toMatch(/- \(encrypted\)/);
    expect(frame).toMatch(/\+ typed/);
    expect(panel({ ...CONFIRMATION, edit, form, isRevealed: false })).not.toContain("typed");
  });
});

describe("a comparison", () => {
  const ready: Comparison = {
    kind: "diff",
    place: 2,
    phase: "ready",
    failure: undefined,
    differences: DIFFERENCES,
    cursor: 1,
    top: 0,
  };
  const panel = (mode: Comparison, revealed?: Revealed) => {
    return renderFrame(<DiffPanel state={readyState(ENTRIES, { revealed })} mode={mode} size={SIZE} />, SIZE.width);
  };

  it("tells by signs what is only there, only here, or another, and masks it", () => {
    const frame = panel(ready);
    expect(frame).toContain("shop/development → shop/production  2/3");
    expect(frame).toMatch(/ \+ ONLY_THERE +\(not there\) +••••••••/);
    expect(frame).toMatch(/›- ONLY_HERE +•••••••• +\(not there\)/);
    expect(frame).toMatch(/ ~ PORT +NUMBER •••••••• +STRING ••••••••/);
  });

  it("shows the values of what is revealed", () => {
    const frame = panel(ready, { names: new Set(["PORT"]), decrypted: new Map(), until: NOW });
    expect(frame).toMatch(new RegExp(` ~ PORT +NUMBER 3000 +STRING ${SECRET}`));
    expect(frame).toMatch(/›- ONLY_HERE +••••••••/);
  });

  it("says that it is being read, can't be read, or is the same", () => {
    expect(panel({ ...ready, phase: "loading" })).toContain("reading shop/production…");
    const failure = { code: "unreachable", message: "connection refused" };
    expect(panel({ ...ready, phase: "failed", failure })).toContain("✗ connection refused");
    expect(panel({ ...ready, differences: [] })).toContain("✓ no differences");
  });

  it("shows both values of the one under the cursor in full below, as masked as above", () => {
    const value = (end: string) => ({ name: "URL", type: "STRING" as const, value: `${"x".repeat(150)}${end}` });
    const differences = [{ kind: "changed", name: "URL", before: value("one"), after: value("two") } as const];
    const compared = { ...ready, differences, cursor: 0 };
    const frame = panel(compared, { names: "all", decrypted: new Map(), until: NOW });
    expect(frame).toMatch(/- … \d+ equal characters … x+one/);
    expect(frame).toMatch(/\+ … \d+ equal characters … x+two/);
    expect(panel(compared)).not.toMatch(/x|one|two/);
  });

  it("names the profile whose credentials were refused", () => {
    const failure = { code: "unauthorized", message: "the server refused the credentials" };
    const frame = panel({ ...ready, phase: "failed", failure });
    expect(frame).toContain("✗ environment shop/production: the server refused the credentials");
    expect(frame).toContain("appvars doctor");
  });

  it("shows only what there is room for", () => {
    const differences = Array.from({ length: 100 }, (_, index) => ({ kind: "added" as const, name: `N${index}` }));
    const frame = panel({ ...ready, differences, top: 50, cursor: 52 });
    expect(frame.match(/ \+ N\d+|›\+ N\d+/g)).toHaveLength(9);
    expect(frame).toContain("›+ N52");
  });
});

describe("a form", () => {
  const panel = (form: Form, revealed?: Revealed) => {
    return renderFrame(<FormPanel state={readyState(ENTRIES, { revealed })} form={form} size={SIZE} />, SIZE.width);
  };

  it("marks the field that is typed into, and keeps the name of what is edited", () => {
    const frame = panel({ ...FORM, problem: "too long" });
    expect(frame).toContain("Edit in shop/development");
    expect(frame).toContain("DATABASE_URL  (stays)");
    expect(frame).toContain("› description");
    expect(frame).toContain("✗ too long");
  });

  it("masks the value but while it is typed into, or revealed", () => {
    expect(panel(FORM)).toMatch(/value +••••••••/);
    expect(panel({ ...FORM, field: "value" })).toContain(SECRET);
    expect(panel(FORM, { names: "all", decrypted: new Map(), until: NOW })).toContain(SECRET);
  });

  it("shows how to choose the type, and newlines in a value", () => {
    const form: Form = { ...FORM, purpose: "add", field: "type", name: textField("") };
    expect(panel(form)).toContain("◂ STRING ▸");
    expect(panel(form)).toContain("Add to shop/development");
    expect(panel({ ...FORM, field: "value", value: textField("a\nb") })).toContain("a↵b");
  });
});
