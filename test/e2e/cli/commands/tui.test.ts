import { describe, expect, it } from "vitest";
import { has } from "../../../formats/consumers.js";
import { BINARY, run } from "../../../support/binary.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { terminal } from "../../../support/terminal.js";

// Skipped where there is no script of util-linux, which makes the terminal.
describe.skipIf(!has("script", "--version"))("on a terminal, before it is taken", () => {
  const tui = (words: string) => `'${process.execPath}' '${BINARY}' tui ${words}`;

  it.each([
    ["TERM is dumb", "", { TERM: "dumb" }, 2, "tui does not work with TERM=dumb"],
    [
      "a secret is to come from the keyboard",
      "--api-secret-file -",
      {},
      2,
      "--api-secret-file can't be - here",
    ],
    [
      "a key is to come from the keyboard",
      "--enc-key-file=-",
      {},
      2,
      "--enc-key-file can't be - here",
    ],
    [
      "the data file is missing",
      "--data /nowhere/vars.json",
      {},
      8,
      "/nowhere/vars.json can't be read",
    ],
    ["the profile is missing", "--profile staging", {}, 2, 'there is no profile "staging"'],
  ])("tui is refused on a terminal where %s", async (_what, words, env, code, message) => {
    const tty = terminal(tui(words), env as Record<string, string>);
    expect(await tty.exitCode).toBe(code);
    expect(tty.written()).toContain(message);
    expect(tty.written()).not.toContain("\x1b[?1049h");
  });

  it("tui starts where CI is set", async () => {
    const tty = terminal(tui(`--data '${(await dataFile(DATA)).path}'`), { CI: "true" });
    await tty.until(/shop\/development/);
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
  });
});

it("commands other than tui load no file of the TUI", async () => {
  const { path } = await dataFile(DATA);
  for (const words of [["list", "--data", path], ["tui", "--data", path], ["--help"]]) {
    const { stderr } = await run(process.execPath, [BINARY, ...words], {
      NODE_DEBUG: "esm,module",
    });
    expect(stderr).toContain("dist/cli/start.cjs");
    expect(stderr).not.toMatch(/dist\/(cli\/)?tui\/|node_modules\/(ink|react)/);
  }
});
