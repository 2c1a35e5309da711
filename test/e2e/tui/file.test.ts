import { unlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { aRecord } from "../../support/records.js";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, EXAMPLE, openShell, openTuiInTmux } from "../../tui/support/tui-in-tmux.js";

/** The example with another port and one more variable. */
function changed(): Data {
  const values = EXAMPLE.values.map((value) =>
    value.id === 4 ? { ...value, content: { value: 3999 } } : value,
  );
  const added = aRecord({ id: 11, name: "NEW_ONE" });
  return {
    ...EXAMPLE,
    variables: [...EXAMPLE.variables, added],
    values: [
      ...values,
      { id: 29, variable_id: 11, environment_id: 1, content: { value: "brand-new" } },
    ],
  };
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal, while another program changes the file,", () => {
  it("its changes are marked, announced and masked", async () => {
    const tui = await openTuiInTmux();
    await tui.file.write(changed());
    const screen = await tui.until(
      /~ PORT +NUMBER +•+/,
      /\+ NEW_ONE +STRING +•+/,
      / · added: NEW_ONE; changed: PORT\n$/,
    );
    expect(screen).not.toMatch(/3999|brand-new/);
  });

  it("the last good data is shown while the file is invalid or missing", async () => {
    const tui = await openTuiInTmux();
    await tui.file.write('{ "version": 1,');
    await tui.until(
      / [1-9]\d* s old\n[\s\S]*┃ ! the data file is not valid JSON[\s\S]*DATABASE_URL[\s\S]*SENTRY_DSN/,
    );
    await tui.keys("v");
    await tui.until(/│ postgres:\/\/localhost\/shop_dev/);
    await tui.keys("x");
    await tui.until(/Delete the value of DATABASE_URL in/);
    await tui.keys("Enter");
    await tui.until(/✗ .*not valid JSON/);
    expect(await tui.saved()).toBe('{ "version": 1,');
    await tui.keys("n");
    await tui.until(/▶ Variables/);
    await unlink(tui.file.path);
    await tui.until(/┃ ! the data file can't be read[\s\S]*DATABASE_URL[\s\S]*SENTRY_DSN/);
    await tui.file.write(changed());
    await tui.until(/┃ {3}NAME [\s\S]*\+ NEW_ONE/);
  });

  it("an edit that can't be written says why and changes nothing", async () => {
    const tui = await openTuiInTmux();
    const before = await tui.saved();
    // File modes don't restrict root. A file with the name of the lock folder makes locking fail.
    await writeFile(`${tui.file.path}.lock`, "");
    await tui.keys("x");
    await tui.until(/Delete the value of DATABASE_URL in/);
    await tui.keys("Enter");
    await tui.until(/✗ vars\.json can't be locked/);
    expect(await tui.saved()).toBe(before);
    await unlink(`${tui.file.path}.lock`);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ deleted the value of DATABASE_URL/));
  });
});

it.skipIf(!hasTmux)(
  "without settings, the first screen creates the example, and later opens its file",
  async () => {
    const tui = await openShell();
    await tui.run("appvars tui; rm .appvars.json; clear; appvars tui");
    await tui.until(/▶ Welcome to appvars/, /› +try the example/);
    await tui.keys("Enter");
    await tui.until(/^ appvars {2}default\/development /, /│›● development +✓ │┃/, /DATABASE_URL/);
    await tui.keys("q");
    await tui.until(/› +open appvars\.data\.json/);
    await tui.keys("Enter");
    await tui.until(/^ appvars {2}default\/development /, /│›● development +✓ │┃/, /DATABASE_URL/);
  },
);
