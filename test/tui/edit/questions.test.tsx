import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/domain/variable.js";
import { formPanel } from "../../../src/tui/edit/form-panel.js";
import { confirmPanel } from "../../../src/tui/edit/review.js";
import { Panels } from "../../../src/tui/program/app.js";
import { compared, openDiff } from "../../../src/tui/screens/diff.js";
import { differencePanel, diffPanel } from "../../../src/tui/screens/diff-panel.js";
import { diffSizes } from "../../../src/tui/state/layout.js";
import type { Comparison, Confirmation, Form } from "../../../src/tui/state/modes.js";
import type { Revealed } from "../../../src/tui/state/state.js";
import type { PanelContent } from "../../../src/tui/view/panel.js";
import { textField } from "../../../src/tui/widgets/text-field.js";
import { renderFrame } from "../support/render-frame.js";
import { ENTRIES, entry, NOW, readyState, SECRET } from "../support/state.js";
import { COMPARISON, CONFIRMATION, DELETION, editOf, FORM, modeOf } from "../support/test-modes.js";

const SIZE = { width: 80, height: 20 };
const WIDE = { width: 120, height: 20 };

describe("the value of a public variable", () => {
  const PUBLIC = { secret: false };
  const [before, after] = [
    { ...PUBLIC, type: "STRING", description: "", value: "debug" },
    { ...PUBLIC, type: "STRING", description: "", value: "info" },
  ] as const;
  const frameOf = (content: PanelContent) => renderFrame(<Panels panels={[{ size: SIZE, content }]} />, SIZE.width);

  it("a confirmation shows it", () => {
    const confirmation = { ...CONFIRMATION, edit: editOf("LEVEL", before, after) };
    const frame = frameOf(confirmPanel(readyState(), confirmation, SIZE));
    expect(frame).toMatch(/- debug/);
    expect(frame).toMatch(/\+ info/);
  });

  it("a form shows it", () => {
    const form: Form = { ...FORM, value: textField("debug") };
    expect(frameOf(formPanel(readyState(), { ...form, before }, SIZE))).toMatch(/value +debug/);
    expect(frameOf(formPanel(readyState(), form, SIZE))).toMatch(/value +••••••••/);
  });

  it("a comparison shows it on the side where it is public", () => {
    const here = { ...entry("LEVEL", "debug"), rules: PUBLIC };
    const [opened] = openDiff(readyState([here]), 1);
    const state = compared(opened, 1, [entry("LEVEL", SECRET)], true);
    const comparison = modeOf(state, "diff");
    const list = frameOf(diffPanel(state, comparison, SIZE));
    expect(list).toMatch(/~ LEVEL +debug +••••••••/);
    expect(frameOf(differencePanel(state, comparison, SIZE))).toMatch(/- debug[\s\S]*\+ ••••••••/);
  });
});

describe("a confirmation", () => {
  const panel = (mode: Confirmation, size = SIZE) => {
    return renderFrame(
      <Panels panels={[{ size: size, content: confirmPanel(readyState(), mode, size) }]} />,
      size.width,
    );
  };

  it("a confirmation of very many changes shows the first ones, and how many more there are", () => {
    const [change] = CONFIRMATION.edit.changes;
    const changes = Array.from({ length: 100_000 }, (_, id) => ({
      ...change,
      name: `V_${id}`,
    })) as typeof CONFIRMATION.edit.changes;
    const frame = panel({ ...CONFIRMATION, edit: { changes } }, { width: 80, height: 3_000 });
    expect(frame).toContain("V_299");
    expect(frame).not.toContain("V_300");
    expect(frame).toContain("… and 99,700 more variables");
  });

  it("a confirmation shows the changed lines with masked values", () => {
    const frame = panel(CONFIRMATION);
    expect(frame).toContain("change FLAGS in shop/development?");
    expect(frame).toMatch(/description {2}- Feature flags/);
    expect(frame).toContain("+ Flags");
    expect(frame).toMatch(/value +- ••••••••/);
    expect(frame).toContain("+ ••••••••");
    expect(frame).toContain("[ Change ]  [ Back ]");
  });

  it("a confirmation shows revealed values line by line", () => {
    const frame = panel({ ...CONFIRMATION, isRevealed: true });
    expect(frame).toContain("-     3");
    expect(frame).toContain("+     4");
    expect(frame).toContain("… 2 equal lines");
  });

  it("a confirmation never shows encrypted values", () => {
    const before = { type: "STRING", description: "", value: "envbee:enc:v1:abc" } as const;
    const edit = editOf("KEY", before, { ...before, value: "envbee:enc:v1:def" });
    const frame = panel({ ...CONFIRMATION, edit, isRevealed: true });
    expect(frame).toContain("- (encrypted)");
    expect(frame).toContain("+ (encrypted)");
    expect(frame).not.toContain("envbee");
  });

  it.each([
    ["add", "add FLAGS to shop/development?"],
    ["delete", "delete the value of FLAGS in shop/development?"],
    ["undo", "undo deleting the value of FLAGS in shop/test?"],
    ["redo", "redo deleting the value of FLAGS in shop/test?"],
  ] as const)("a confirmation asks before an %s", (purpose, question) => {
    const place = question.includes("test") ? 1 : 0;
    expect(panel({ ...CONFIRMATION, purpose, of: "delete", place })).toContain(question);
  });

  it("a deletion says whether it leaves the variable with its type and description", () => {
    const frame = panel(DELETION, WIDE);
    expect(frame).toContain("! FLAGS has no value in another environment: its type and description are deleted too.");
    expect(frame).toMatch(/type +- JSON/);
    const before = DELETION.edit.changes[0]?.before;
    const kept = panel({ ...DELETION, edit: editOf("FLAGS", before, before && { ...before, value: undefined }) });
    expect(kept).not.toMatch(/!|- JSON|- Feature flags/);
    expect(kept).toContain("- ••••••••");
  });

  it("an edit lists its changes to all environments", () => {
    expect(panel(CONFIRMATION)).toContain("All environments of the application share the description");
    const before = { type: "NUMBER", description: "a", value: undefined } as const;
    const edit = editOf("PORT", before, { ...before, type: "STRING", description: "b" });
    expect(panel({ ...CONFIRMATION, edit }, WIDE)).toContain(
      "change the type and description of PORT in shop/development and all other environments of its application?",
    );
    expect(panel({ ...CONFIRMATION, edit: editOf("PORT", undefined, before) })).not.toContain("application");
  });

  it("an edit says that another program has changed the variable meanwhile", () => {
    const frame = panel({ ...CONFIRMATION, isChangedMeanwhile: true });
    expect(frame).toContain("! FLAGS has been changed by another program.");
    expect(frame).toContain("[ Save over it ]  [ Back ]");
  });

  it("the name typed to confirm a deletion in production is shown", () => {
    const frame = panel({ ...DELETION, place: 2, typed: textField("FLA") });
    expect(frame).toMatch(/type FLAGS to confirm: FLA +┃\n┃ \[ Delete \] {2}\[ Back \]/);
  });

  it("a long confirmation scrolls, and always shows the problem and the keys", () => {
    const edit = editOf("FLAGS", CONFIRMATION.edit.changes[0]?.before, undefined);
    const mode = { ...CONFIRMATION, edit, isRevealed: true, problem: "it has changed in the meantime" };
    const frame = panel(mode, { width: 60, height: 12 });
    expect(frame).toContain("change FLAGS");
    expect(frame).toMatch(/ 1-7\/\d+ /);
    expect(frame).toMatch(/↓ \d+ more lines +┃\n┃ ✗ it has changed/);
    const scrolled = panel({ ...mode, top: 3 }, { width: 60, height: 12 });
    expect(scrolled).not.toContain("change FLAGS");
    expect(scrolled).toMatch(/ 4-10\/\d+ /);
    for (const each of [frame, scrolled]) {
      expect(each).toContain("✗ it has changed in the meantime");
      expect(each).toContain("[ Change ]");
    }
  });

  it("a confirmation shows where two long lines differ", () => {
    const url = (port: number) => `postgres://user:password@${"very-long-host-name.".repeat(6)}example:${port}/shop`;
    const assigned = (port: number) => ({ type: "STRING" as const, description: "", value: url(port) });
    const edit = editOf("URL", assigned(5432), assigned(5433));
    const frame = panel({ ...CONFIRMATION, edit, isRevealed: true }, { width: 60, height: 20 });
    expect(frame).toMatch(/- … \d+ equal characters …/);
    expect(frame).toContain("5432/shop");
    expect(frame).toContain("5433/shop");
  });

  it("a confirmation shows the input for an encrypted value", () => {
    const sealed = (value: string) => ({ type: "STRING" as const, description: "", value });
    const edit = editOf("KEY", sealed("envbee:enc:v1:a"), sealed("envbee:enc:v1:b"));
    const confirmation = { ...CONFIRMATION, edit, text: "typed", back: { ...FORM, value: textField("later") } };
    const frame = panel({ ...confirmation, isRevealed: true });
    expect(frame).toMatch(/- \(encrypted\)/);
    expect(frame).toMatch(/\+ typed/);
    expect(panel({ ...confirmation, isRevealed: false })).not.toContain("typed");
  });
});

describe("a comparison", () => {
  const panel = (mode: Comparison, revealed?: Revealed) => {
    const state = readyState(ENTRIES, { revealed });
    const { list, detail } = diffSizes({ body: SIZE }, mode.focus);
    return [
      renderFrame(<Panels panels={[{ size: list, content: diffPanel(state, mode, list) }]} />, SIZE.width),
      renderFrame(<Panels panels={[{ size: detail, content: differencePanel(state, mode, detail) }]} />, SIZE.width),
    ].join("\n");
  };

  it("a comparison marks differences with signs and masks their values", () => {
    const frame = panel(COMPARISON);
    expect(frame).toContain("shop/development → shop/production  2/3");
    expect(frame).toMatch(/ \+ ONLY_THERE +\(missing\) +••••••••/);
    expect(frame).toMatch(/›- ONLY_HERE +•••••••• +\(missing\)/);
    expect(frame).toMatch(/ ~ PORT +NUMBER •••••••• +STRING ••••••••/);
  });

  it("a comparison shows revealed values", () => {
    const frame = panel(COMPARISON, { names: new Set(["PORT"]), decrypted: new Map(), until: NOW });
    expect(frame).toMatch(new RegExp(` ~ PORT +NUMBER 3000 +STRING ${SECRET}`));
    expect(frame).toMatch(/›- ONLY_HERE +••••••••/);
  });

  it("a comparison says that it is loading, has failed or has no differences", () => {
    expect(panel({ ...COMPARISON, phase: "loading" })).toContain("reading shop/production…");
    const failure = { code: "unreachable", message: "connection refused" };
    expect(panel({ ...COMPARISON, phase: "failed", failure })).toContain("✗ connection refused");
    expect(panel({ ...COMPARISON, all: [], differences: [] })).toContain("✓ no differences");
  });

  it("an empty value is shown as empty in the list and in the detail", () => {
    const value = (text: string) => ({ name: "A", type: "STRING" as const, value: text });
    const differences = [{ kind: "changed", name: "A", before: value(""), after: value("x") } as const];
    const frame = panel({ ...COMPARISON, differences, cursor: 0 }, { names: "all", decrypted: new Map(), until: NOW });
    expect(frame).toMatch(/~ A +\(empty\) +x /);
    expect(frame).toMatch(/- \(empty\) /);
  });

  it("JSON is compared line by line, with keys in one order", () => {
    const value = (json: JsonValue) => ({ name: "A", type: "JSON" as const, value: json });
    const [before, after] = [value({ a: 1, b: { c: 2, d: 3 } }), value({ b: { d: 4, c: 2 }, a: 1 })];
    const differences = [{ kind: "changed", name: "A", before, after } as const];
    const mode: Comparison = { ...COMPARISON, differences, cursor: 0, focus: "detail" };
    const frame = panel(mode, { names: "all", decrypted: new Map(), until: NOW });
    expect(frame.match(/[-+] +"\w": \d/g)).toEqual(['-     "d": 3', '+     "d": 4']);
    expect(frame).toContain("A ━");
    const masked = panel(mode);
    expect(masked).toMatch(/- ••••••••[^•]+\+ ••••••••/);
    expect(masked).not.toMatch(/equal|\d\/\d+ ━+┛/);
  });

  it("a comparison shows both values under the cursor in full below the list", () => {
    const value = (end: string) => ({ name: "URL", type: "STRING" as const, value: `${"x".repeat(150)}${end}` });
    const differences = [{ kind: "changed", name: "URL", before: value("one"), after: value("two") } as const];
    const compared = { ...COMPARISON, differences, cursor: 0 };
    const frame = panel(compared, { names: "all", decrypted: new Map(), until: NOW });
    expect(frame).toMatch(/- … \d+ equal characters … x+one/);
    expect(frame).toMatch(/\+ … \d+ equal characters … x+two/);
    expect(panel(compared)).not.toMatch(/x|one|two/);
  });

  it("a comparison names the place whose credentials were refused", () => {
    const failure = { code: "unauthorized", message: "the server refused the credentials" };
    const frame = panel({ ...COMPARISON, phase: "failed", failure });
    expect(frame).toContain("✗ environment shop/production: the server refused the credentials");
    expect(frame).toContain("appvars doctor");
  });

  it("a comparison formats only visible differences", () => {
    const differences = Array.from({ length: 100 }, (_, index) => ({ kind: "added" as const, name: `N${index}` }));
    const frame = panel({ ...COMPARISON, differences, top: 50, cursor: 52 });
    expect(frame.match(/ \+ N\d+|›\+ N\d+/g)).toHaveLength(9);
    expect(frame).toContain("›+ N52");
  });
});

describe("a form", () => {
  const panel = (form: Form, revealed?: Revealed) => {
    const content = formPanel(readyState(ENTRIES, { revealed }), form, SIZE);
    return renderFrame(<Panels panels={[{ size: SIZE, content: content }]} />, SIZE.width);
  };

  it("a form marks the focused field, and shows a fixed name", () => {
    const frame = panel({ ...FORM, problem: "too long" });
    expect(frame).toContain("Edit in shop/development");
    expect(frame).toContain("DATABASE_URL  (fixed)");
    expect(frame).toContain("› description");
    expect(frame).toContain("✗ too long");
  });

  it("a form masks the value unless it is focused or revealed", () => {
    expect(panel(FORM)).toMatch(/value +••••••••/);
    expect(panel({ ...FORM, field: "value" })).toContain(SECRET);
    expect(panel(FORM, { names: "all", decrypted: new Map(), until: NOW })).toContain(SECRET);
  });

  it("a form shows arrows at the type, and newlines in a value", () => {
    const form: Form = { ...FORM, purpose: "add", field: "type", name: textField("") };
    expect(panel(form)).toContain("◂ STRING ▸");
    expect(panel(form)).toContain("Add to shop/development");
    expect(panel({ ...FORM, field: "value", value: textField("a\nb") })).toMatch(/› value +a +┃\n┃ +b +┃/);
  });

  it("a form shows the part of a long value around the cursor", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line-${index}`).join("\n");
    const lines = (cursor: number) => {
      return panel({ ...FORM, field: "value", value: { text, cursor } }).match(/line-\d+|line \d+\/100/g) ?? [];
    };
    expect(lines(0)).toEqual([...Array.from({ length: 13 }, (_, index) => `line-${index}`), "line 1/100"]);
    expect(lines(text.indexOf("50"))).toEqual([
      ...Array.from({ length: 13 }, (_, i) => `line-${i + 44}`),
      "line 51/100",
    ]);
    expect(lines(text.length).slice(-2)).toEqual(["line-99", "line 100/100"]);
    expect(lines(text.length)).toHaveLength(14);
  });

  it("a form shows no value, an empty text and an encrypted value differently", () => {
    const empty: Form = { ...FORM, value: textField("") };
    const before = { type: "STRING", description: "", value: undefined } as const;
    expect(panel(empty)).toMatch(/value +\(empty\)/);
    expect(panel({ ...empty, type: "NUMBER" })).toMatch(/value +\(nothing\)/);
    expect(panel({ ...empty, before, isValueKept: true })).toMatch(/value +\(no value\)/);
    const encrypted = { ...before, value: "envbee:enc:v1:abc" };
    expect(panel({ ...empty, before: encrypted, isValueKept: true, field: "value" })).toContain(
      "(encrypted; type a new",
    );
  });
});
