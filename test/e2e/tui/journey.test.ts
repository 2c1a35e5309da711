import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, type EXAMPLE, openTuiInTmux } from "../../tui/support/tui-in-tmux.js";

/** Match when the cursor is on the variable. */
const PORT = /›[ ~+] NUMBER +PORT /;
const DEBUG = /›[ ~+] BOOLEAN +DEBUG /;

/** The user's settings: columns of the list, and another key for the help. */
async function settingsFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "appvars"), { mode: 0o700 });
  const tui = { columns: ["type", "name", "value"], keymap: { help: "f1" } };
  await writeFile(join(folder, "appvars", "settings.json"), JSON.stringify({ tui }), {
    mode: 0o600,
  });
  return folder;
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal", () => {
  it("a user finds variables, marks and compares them, edits one, copies, undoes, and quits", async () => {
    const env = { CI: "true", XDG_CONFIG_HOME: await settingsFolder() };
    const tui = await openTuiInTmux({ columns: 120, rows: 30, terminal: "screen-256color", env });
    await tui.until(/TYPE +NAME +VALUE +┃/, atBottom(/F1 help/));
    const saved = async (name: string) => {
      const { variables, values }: typeof EXAMPLE = JSON.parse(await tui.saved());
      const variable = variables.find((each) => each.application === "shop" && each.name === name);
      return values.find((each) => each.variable_id === variable?.id && each.environment_id === 1)
        ?.content.value;
    };

    // Finds the port, first by its letters, then by its type.
    await tui.type("/~prt");
    await tui.until(/▶ Variables 1\/1 {2}\/~prt/, PORT, atBottom(/\/~prt +1 of 6/));
    await tui.keys("C-u");
    await tui.paste("type:num\x1b[<0;5;5M");
    await tui.until(atBottom(/ 0 of 6/));
    await tui.keys("C-u");
    await tui.type("type:num");
    await tui.keys("Enter");
    await tui.until(/▶ Variables 1\/1 {2}\/type:num/, atBottom(/q quit/));
    await tui.keys("Escape");
    await tui.until(/▶ Variables 2\/6/, PORT);

    // Marks it and the next one, and removes the marks again.
    await tui.keys("Space", "Space");
    await tui.until(/✓ 2 marked/, /✓NUMBER/, /✓BOOLEAN/);
    await tui.keys("Escape");
    await tui.until((screen) => !screen.includes("marked"));
    await tui.keys("End", "Home", "Down");
    await tui.until(PORT);

    // Compares all environments, then two, with the values of the row.
    await tui.keys("m");
    await tui.until(
      /NAME +● development +test +production/,
      /› {2}PORT +=.same +~.differs +~.differs/,
    );
    await tui.keys("v");
    await tui.until(/development +=.same +3000/, /production +~ differs +8080/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    await tui.keys("d", "j", "Enter");
    await tui.until(
      /development → shop\/production {2}5\/6/,
      /›~ PORT/,
      /\+ SENTRY_DSN +\(missing\) +•+/,
    );

    // Edits the port from there, and looks at the change before it is written.
    await tui.keys("e");
    await tui.until(/› value +3000/);
    await tui.keys("BSpace", "7", "C-s");
    await tui.until(/Change PORT in shop\/development\?/, /- 3000[\s\S]*\+ 3007/);
    expect(await saved("PORT")).toBe(3000);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ changed PORT; u undoes it/), /›~ PORT/);
    expect(await saved("PORT")).toBe(3007);

    // Copies it through the terminal.
    await tui.keys("y");
    await expect.poll(() => tui.clipboard()).toBe("3007");

    // Undoes the edit, and draws the screen again after another program has written on it.
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    await tui.keys("u");
    await tui.until(/Undo the change to PORT in shop\/development\?/);
    await tui.keys("C-s");
    await tui.until(atBottom(/✓ undid the change to PORT/));
    expect(await saved("PORT")).toBe(3000);
    await tui.overwrite("lost");
    await tui.until(/^lost/m);
    await tui.keys("C-l");
    await tui.until(/▶ Variables/, (screen) => !screen.includes("lost"));

    // Selects another variable with the mouse, looks for the keys, and quits.
    const lines = (await tui.screen()).split("\n");
    const row = lines.findIndex((line) => line.includes(" DEBUG "));
    const press = `\x1b[<0;${(lines[row]?.indexOf("DEBUG") ?? 0) + 1};${row + 1}M`;
    // A press right after a question has closed is dropped.
    const clicked = async () => {
      await tui.type(press);
      return tui.screen();
    };
    await expect.poll(clicked, { interval: 600 }).toMatch(DEBUG);
    await tui.keys("F1");
    await tui.until(/▶ Help/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    await tui.keys("q");
    await tui.until(/^sh> appvars.*\nsh>\s*$/);
    expect(await tui.alternateOn()).toBe(false);
  });
});
