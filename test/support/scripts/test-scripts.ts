import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { it } from "vitest";
import { type CheckOptions, checkScript } from "./check-script.js";

const { UPDATE_SCRIPTS: isUpdate = "", CI: isCi = "" } = process.env;

// A person reviews the new output, and commits it.
if (isUpdate && isCi) throw new Error("UPDATE_SCRIPTS rewrites the tests: it is not for CI");

/** Paths of the scripts in a folder. */
export function scriptsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => join(folder, name));
}

/** A test for each script of a folder. @param isTested default all */
export function testScripts(
  folder: string,
  open: CheckOptions["open"],
  isTested = (_name: string) => true,
): void {
  const names = scriptsIn(folder)
    .map((path) => relative(folder, path))
    .filter(isTested);
  it.each(names)("the session in %s runs as written", { timeout: 60_000 }, async (name) => {
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    const { problems, rewritten } = await checkScript(text, {
      file: relative(process.cwd(), path),
      open,
    });
    if (isUpdate) writeFileSync(path, rewritten);
    else if (problems.length > 0) throw withoutStack(`\n${problems.join("\n\n")}`);
  });
}

/** An error with its place in the message, instead of a stack. */
function withoutStack(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}
