import { expect, it, onTestFinished, vi } from "vitest";
import { openTui, type Row, SECRET, SHOP, shopOf } from "../support/tui.js";

/** The record beside the list, without its border. */
function recordIn(frame: string): string[] {
  const lines = frame.split("\n").slice(1, -1);
  return lines.map((line) =>
    line
      .slice(-65)
      .replace(/^.*?[│┃╭┏╰┗]/, "")
      .replace(/[│┃╮┓╯┛]$/, "")
      .trimEnd(),
  );
}

const opened = (...rows: readonly Row[]) => openTui({ data: shopOf(...rows) });

it("shows description, type, rules and the masked value, or the same facts on one line in a low panel", async () => {
  const rules = { optional: true, secret: false, schema: { maxLength: 99 } };
  const variables = SHOP.variables.map((each) => (each.id === 2 ? { ...each, ...rules } : each));
  const tui = await openTui({ data: { ...SHOP, variables } });
  const facts = [" Primary database", "", /^ type +STRING$/, /^ rules +secret$/];
  for (const fact of facts)
    expect(recordIn(tui.frame())).toContainEqual(expect.stringMatching(fact));
  expect(recordIn(tui.frame())).toContain(" ••••••••");
  tui.program.resize({ columns: 80, rows: 24 });
  expect(tui.frame()).toMatch(/│ STRING · secret +│\n.*│ Primary database +│/);
  tui.press("j");
  expect(tui.frame()).toContain('│ NUMBER · public, optional · {"maxLength":99} ');
});

it("compares with the other environments of the application, whose values are shown with v", async () => {
  const tui = await openTui();
  await tui.shows(/in other environments/, /test +~ differs +•+ /, /production +~ differs +•+ /);
  expect(tui.frame()).not.toContain(SECRET);
  tui.press("v");
  await tui.shows(
    new RegExp(`test +~ differs +other ${SECRET} [^]*production +~ differs +live ${SECRET} `),
  );
  tui.press("j");
  await tui.shows(/test +=.same +•+ /, /production +~ differs +•+ /);
  tui.press("j");
  await tui.shows(/test +- missing/, /production +- missing/);
});

it.each([
  ["the record", [], /"a": 3/],
  ["the matrix", ["m"], /~ \{"a":2\}/],
  ["a comparison", ["d", "enter"], /→ test/],
  ["the history", ["H"], / \+ +"a": 3/],
])("%s formats the text of a value once, and not for each frame", async (_what, keys, expected) => {
  const data = shopOf({ name: "FLAGS", values: [{ a: 1 }, { a: 2 }] });
  const tui = await openTui({ data, edit: async (text) => text.replace("1", "3") });
  tui.press("E");
  await tui.shows(/▶ Change/);
  tui.press("enter");
  await tui.shows(/changed FLAGS/, /test +~ differs/);
  tui.press("V");
  tui.press(...keys);
  await tui.shows(expected);
  tui.pass(1);
  tui.frame();
  const work = [vi.spyOn(JSON, "parse"), vi.spyOn(JSON, "stringify")];
  onTestFinished(() => void vi.restoreAllMocks());
  tui.pass(1);
  expect(tui.frame()).toMatch(expected);
  for (const each of work) expect(each).not.toHaveBeenCalled();
});

it("warns of a reserved name, and repeats a name that is too long for the title", async () => {
  const name = "LONG_".repeat(15);
  const tui = await opened({ name: "PROMPT_COMMAND", values: ["x"] }, { name, values: ["x"] });
  expect(tui.frame()).toMatch(/name +reserved: run and export omit it/);
  tui.press("j");
  const text = recordIn(tui.frame()).slice(1).join("");
  expect(text.replaceAll(/\s/g, "")).toContain(name);
});

it("shows JSON pretty-printed and colored, as a form does", async () => {
  const value = { beta: true, themes: ["light"], retries: 3, owner: null };
  const tui = await opened(
    { name: "FLAGS", values: [value] },
    { name: "TEXT", type: "JSON", values: ['{"a":1}'] },
  );
  tui.press("V");
  const lines = recordIn(tui.frame());
  const from = lines.indexOf(" {");
  expect(lines.slice(from, from + 8)).toEqual(
    [
      "{",
      '  "beta": true,',
      '  "themes": [',
      '    "light"',
      "  ],",
      '  "retries": 3,',
      '  "owner": null',
      "}",
    ].map((line) => ` ${line}`),
  );
  expect(tui.painted("dark")).toMatch(
    /38;2;95;208;220m"beta"[\s\S]*38;2;207;163;255mtrue[\s\S]*38;2;240;180;92m3/,
  );
  tui.press("j");
  expect(recordIn(tui.frame())).toContain(' "{\\"a\\":1}"');
});

it("keeps line breaks, escapes control characters, and wraps wide characters", async () => {
  const tui = await opened({
    name: "A",
    values: [`one\ntwo\u001b[0m\u202e\n${"日本".repeat(20)}`],
  });
  tui.press("V");
  const lines = recordIn(tui.frame());
  const from = lines.indexOf(" one");
  expect(lines.slice(from + 1, from + 4)).toEqual([
    expect.stringContaining("two\\x1b[0m\\u{202e}"),
    expect.stringMatching(/日本/),
    expect.stringMatching(/日本/),
  ]);
});

it("shows the value in a low panel despite a long description or a problem", async () => {
  const variables = SHOP.variables.map((each) => ({
    ...each,
    description: "word ".repeat(60).trim(),
  }));
  const tui = await openTui({ columns: 80, rows: 24, data: { ...SHOP, variables } });
  const below = () => tui.frame().split("DATABASE_URL ─")[1] ?? "";
  expect(below()).toMatch(/••••••••[\s\S]*word word/);
  await tui.file.write("{");
  const problem =
    (await tui.tickUntil(/┃ ! the data file is not valid JSON/)).split("DATABASE_URL ─")[1] ?? "";
  expect(problem).toContain("••••••••");
  expect(tui.names).toHaveLength(5);
});
