import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { looseModeWarning } from "../../../src/kit/files/owners.js";
import { rotateCommand } from "../../../src/tasks/data/key-advice.js";
import { checkFiles } from "../../../src/tasks/doctor/diagnose.js";
import { fileRisk } from "../../../src/tasks/files/safe-files.js";
import { refuseReserved } from "../../../src/tasks/selection/left-out.js";
import { aCaller } from "../../support/caller.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const SOURCES = join(import.meta.dirname, "../../../src");
const NAMES = ["my vars.json", `it's "$HOME" \`id\` $(id).json`, "a;b&c|d>e*~.json"];

/** Each makes the message for a file of that path, and names the command in it. */
const ADVICE: Record<string, [make: (path: string) => Promise<string>, command: string]> = {
  "a file that others may read": [async (path) => looseModeWarning(path) ?? "", "chmod 600"],
  "a finding of doctor": [
    async (path) => {
      await chmod(path, 0o644);
      const { surroundings } = aCaller({ platform: "linux", user: undefined, groups: [] });
      return fixOf(checkFiles([path], undefined, surroundings) as { fix: string }[]);
    },
    "chmod 600",
  ],
  "a file that every user can write": [
    async (path) => {
      await chmod(path, 0o666);
      return (
        (fileRisk(path, { user: process.getuid?.() ?? 0, groups: [], env: {} })?.fix ?? "").split(
          "; or set",
        )[0] ?? ""
      );
    },
    "chmod go-w",
  ],
  "the flags of a data file": [
    async (path) => rotateCommand(["--data", path]),
    "appvars env rotate NAME --data",
  ],
  "the names that are left out": [
    async (path) => messageOf(() => refuseReserved([`PIP_${path}`], [])),
    "--allow-reserved",
  ],
};

describe.skipIf(process.platform === "win32")("a command in a message", () => {
  const cases = Object.entries(ADVICE).flatMap(([subject, [make, command]]) =>
    NAMES.map((name) => ({ subject, name, make, command })),
  );
  it.each(cases)("about $subject names the one file $name", async ({ name, make, command }) => {
    const path = join(await temporaryFolder(), name);
    await writeFile(path, "NODE_OPTIONS=--no-warnings\n");
    await chmod(path, 0o644);
    const message = await make(path);
    const pasted = message.slice(message.lastIndexOf(`${command} `));
    const [last = ""] = wordsOf(pasted).slice(command.split(" ").length);
    expect([path, `PIP_${path}`]).toContain(last);
    expect(wordsOf(pasted)).toHaveLength(command.split(" ").length + 1);
  });
});

/** Only a tagged template quotes its values. */
it("each command in src is written with the tag that quotes", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const untagged = files.flatMap((file) => {
    const text = readFileSync(join(SOURCES, file), "utf8").replaceAll(
      /^\s*(?:\/\/|\*|\/\*\*).*$/gm,
      "",
    );
    return [...text.matchAll(/(\w*)`((?:\\.|[^`\\])*)`/gs)]
      .filter(([, tag, template = ""]) => tag !== "command" && COMMAND.test(template))
      .map(([, , template]) => `${file}: ${template}`);
  });
  expect(untagged).toEqual([]);
});

/** A word that begins a command, and after it a value. */
const COMMAND =
  /(?:^|[\s:])(?:appvars (?:allow|doctor|env|export|get|import|init|migrate|profile|run|serve|set) |chmod|chown|etcdctl|rm|mv|cp|ln|mkdir|openssl|dotenvx|(?:add|import) --[a-z]+(?:-[a-z]+)* )[^\n]*\$\{(?!command`|ALLOW_VARIABLE|choices)/;

function fixOf([finding]: readonly { fix: string }[]): string {
  return finding?.fix ?? "";
}

function messageOf(act: () => void): string {
  try {
    act();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The words of a command as a shell splits them. */
function wordsOf(text: string): string[] {
  const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${text}`], {
    encoding: "utf8",
    cwd: "/",
  });
  return printed.split("\0").slice(0, -1);
}
