import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../src/cli/output/errors.js";
import { runCli } from "./support/cli.js";
import { checkScript } from "./support/scripts/check-script.js";
import { parseScript } from "./support/scripts/parse-script.js";

const FOLDER = fileURLToPath(new URL("scripts/", import.meta.url));
const SCRIPTS = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));
const { UPDATE_SCRIPTS: isUpdate = "", CI: isCi = "" } = process.env;

// A person looks at what is expected from now on, and commits it.
if (isUpdate && isCi) throw new Error("UPDATE_SCRIPTS rewrites the tests: it is not for CI");

describe.concurrent("script", () => {
  it.each(SCRIPTS)("the session in %s runs as written", { timeout: 60_000 }, async (name) => {
    const path = join(FOLDER, name);
    const text = readFileSync(path, "utf8");
    const { problems, rewritten } = await checkScript(text, { file: relative(process.cwd(), path) });
    if (isUpdate) writeFileSync(path, rewritten);
    else if (problems.length > 0) throw withoutStack(`\n${problems.join("\n\n")}`);
  });
});

describe("the scripts", () => {
  const steps = SCRIPTS.flatMap((name) => parseScript(readFileSync(join(FOLDER, name), "utf8")).steps);

  it("call every command", async () => {
    const { stdout } = await runCli(["--help"]);
    const commands = [
      ...stdout
        .replace(/^.*Commands:/s, "")
        .replace(/Example:.*/s, "")
        .matchAll(/^ {2}([a-z]+)/gm),
    ].map(([, name]) => name);
    expect(commands).toContain("serve");
    const isCalled = (name = "") => steps.some(({ command }) => new RegExp(`\\bappvars ${name}\\b`).test(command));
    expect(commands.filter((name) => !isCalled(name))).toEqual([]);
  });

  it("end with every exit code", () => {
    const codes = steps.flatMap(({ expected }) => expected.filter(({ stream }) => stream === "exit"));
    const seen = codes.map(({ text }) => Number(text));
    // Of run and sandbox: the command's own, 128+n, not executable, not found.
    expect(seen).toEqual(expect.arrayContaining([...Object.values(EXIT_CODES), 42, 137, 143, 126, 127]));
  });
});

/** An error whose message says where it occurred, instead of a stack. */
function withoutStack(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}
