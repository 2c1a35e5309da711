import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasTmux } from "../../support/tmux.js";
import { atBottom, openTui, type Tui } from "../../tui/support/open-tui.js";

const beside = (tui: Tui, name: string) => join(dirname(tui.file.path), name);

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("the command line in a real terminal", () => {
  it("in a terminal :import makes one edit that u undoes", async () => {
    const tui = await openTui();
    await writeFile(beside(tui, "new.env"), "PORT=4000\nRETRIES=3\n");
    const before = await tui.saved();
    await tui.type(":import n");
    await tui.until(/ new\.env +│/);
    await tui.keys("Tab", "Enter");
    await tui.until(/import 2 variables into shop\/development\?/, (screen) => !screen.includes("4000"));
    await tui.keys("v");
    await tui.until(/- 3000[\s\S]*\+ 4000/, /\+ 3/);
    expect(await tui.saved()).toBe(before);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ imported 2 variables; u undoes it/), /RETRIES/);
    await tui.keys("u");
    await tui.until(/▶ Undo/);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ undid the change of 2 variables/), (screen) => !screen.includes("RETRIES"));
  });

  it("in a terminal :export asks before it replaces a file", async () => {
    const tui = await openTui();
    await tui.type(":export out.json");
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ wrote 5 variables to out\.json/));
    const path = beside(tui, "out.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const saved = await readFile(path, "utf8");
    expect(JSON.parse(saved)).toMatchObject({ PORT: 3000 });
    await tui.type(":export out.json yaml");
    await tui.keys("Enter");
    await tui.until(/out\.json already exists\. Replace it\?/);
    await tui.keys("Escape");
    await tui.until(/▶ Variables/);
    expect(await readFile(path, "utf8")).toBe(saved);
    await tui.type(":export out.json yaml");
    await tui.keys("Enter");
    await tui.until(/out\.json already exists\. Replace it\?/);
    await tui.keys("Enter");
    await tui.until(atBottom(/[✓·] wrote 5 variables to out\.json/));
    expect(await readFile(path, "utf8")).toMatch(/^PORT: 3000$/m);
  });

  it("in a terminal :env add and :env rotate show new credentials, and the places follow", async () => {
    const tui = await openTui({ columns: 120 });
    const secretOf = async (name: string) => {
      const { environments } = JSON.parse(await tui.saved());
      return environments.find((each: { name: string }) => each.name === name)?.api_secret;
    };
    await tui.type(":env add staging");
    await tui.keys("Enter");
    await tui.until(/The new credentials of shop\/staging/, /API secret +•+/);
    const secret = await secretOf("staging");
    await tui.keys("v");
    await tui.until((screen) => screen.includes(secret));
    await tui.keys("y");
    await expect.poll(() => tui.clipboard()).toContain(`APPVARS_API_SECRET=${secret}`);
    await tui.keys("C-c");
    await tui.until(/Quit without the new credentials of shop\/staging\?/);
    await tui.keys("Enter", "Escape");
    await tui.until(/Close the new credentials of shop\/staging\?/);
    await tui.keys("C-x");
    await tui.until(/▶ Variables/, / (shop\/)?staging /, (screen) => !screen.includes(secret));
    const before = await secretOf("development");
    await tui.type(":env rotate");
    await tui.keys("Enter");
    await tui.until(/Give shop\/development new credentials\?/);
    expect(await secretOf("development")).toBe(before);
    await tui.keys("Enter");
    await tui.until(/The new credentials of shop\/development/);
    expect(await secretOf("development")).not.toBe(before);
  });
});
