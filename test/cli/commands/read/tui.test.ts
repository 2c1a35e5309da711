import { describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";

const INSTEAD = "appvars list, appvars get NAME or appvars show NAME";

describe("without a terminal", () => {
  it.each([
    ["neither stdin nor stdout is one", {}],
    ["only stdout is one", { terminal: true }],
  ])("tui names other commands where %s", async (_what, options) => {
    const { code, stdout, stderr } = await runCli(
      ["tui", "--data", (await dataFile(DATA)).path],
      options,
    );
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("tui needs a terminal as stdin and stdout");
    expect(stderr).toContain(INSTEAD);
  });

  it("tui refuses --json", async () => {
    const { code, stderr } = await runCli(["tui", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "usage",
      message: expect.stringContaining(INSTEAD),
    });
  });

  it("tui --theme refuses an unknown theme", async () => {
    const { code, stderr } = await runCli(["tui", "--theme", "solarized"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Allowed choices are auto, dark, light, plain");
  });
});
