import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../src/cli/output/report-error.js";
import { runCli } from "./support/cli.js";
import { InProcessSession } from "./support/scripts/in-process-session.js";
import { parseScript } from "./support/scripts/parse-script.js";
import { scriptsIn, testScripts } from "./support/scripts/test-scripts.js";

const FOLDER = fileURLToPath(new URL("scripts/", import.meta.url));
const WITH_A_SHELL = fileURLToPath(new URL("e2e/scripts/", import.meta.url));

testScripts(FOLDER, (options) => new InProcessSession(options));

describe("the scripts", () => {
  const paths = [FOLDER, WITH_A_SHELL].flatMap(scriptsIn);
  const steps = paths.flatMap((path) => parseScript(readFileSync(path, "utf8")).steps);

  it("call every command", async () => {
    const { stdout } = await runCli(["--help"]);
    const commands = [
      ...stdout
        .replace(/^.*Commands:/s, "")
        .replace(/Example:.*/s, "")
        .matchAll(/^ {2}([a-z]+)/gm),
    ].map(([, name]) => name);
    expect(commands).toContain("serve");
    const isCalled = (name = "") =>
      steps.some(({ command }) => new RegExp(`\\bappvars (help )?${name}\\b`).test(command));
    expect(commands.filter((name) => !isCalled(name))).toEqual([]);
  });

  it("end with every exit code", () => {
    const codes = steps.flatMap(({ expected }) =>
      expected.filter(({ stream }) => stream === "exit"),
    );
    const seen = codes.map(({ text }) => Number(text));
    // Of run and sandbox: the command's own, 128+n, not executable, not found.
    expect(seen).toEqual(
      expect.arrayContaining([...Object.values(EXIT_CODES), 42, 137, 143, 126, 127]),
    );
  });
});
