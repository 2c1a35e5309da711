import type { EventEmitter } from "node:events";
import { type Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { ownWords } from "../../src/cli/output/report-error.js";
import { buildWhole, separateWords } from "../../src/cli/program.js";
import { runWith } from "../support/cli.js";

const OPTIONS = [
  new Option("--json"),
  new Option("-o, --only <names>"),
  new Option("--watch"),
  new Option("-q, --quiet"),
];

function separated(line: string): string {
  return separateWords(line.split(" "), line.includes("sandbox") ? "sandbox" : "run", OPTIONS).join(
    " ",
  );
}

describe("separateWords", () => {
  it.each([
    ["run ls --json", "run -- ls --json"],
    ["run --json ls --json", "run --json -- ls --json"],
    ["--json run --only A ls --only B", "--json run --only A -- ls --only B"],
    ["run --only=A ls -o x", "run --only=A -- ls -o x"],
    ["run -o A --watch ls", "run -o A --watch -- ls"],
    ["run ls -- --json", "run -- ls -- --json"],
    ["sandbox ls --watch", "sandbox -- ls --watch"],
    ["run -qo A ls -qo", "run -q -o A -- ls -qo"],
    ["run -qoA ls", "run -q -oA -- ls"],
  ])("makes of %s: %s", (line, expected) => {
    expect(separated(line)).toBe(expected);
  });

  it.each(["run --only A -- ls --json", "run", "run --json", "run --only", "run --only -qo"])(
    "leaves %s as it is",
    (line) => {
      expect(separated(line)).toBe(line);
    },
  );
});

describe("ownWords", () => {
  it("ends at the first --", () => {
    expect(ownWords(["run", "--json", "--", "ls", "--quiet", "--", "x"])).toEqual([
      "run",
      "--json",
    ]);
    expect(ownWords(["get", "A"])).toEqual(["get", "A"]);
  });
});

describe("a repeated flag", async () => {
  const { code: program } = await runWith(buildWhole);
  const withCommands = (command: Command): Command[] => [
    command,
    ...command.commands.flatMap(withCommands),
  ];
  const flags = withCommands(program).flatMap((command) =>
    command.options.flatMap((option) =>
      option.required || option.optional ? [{ command, option }] : [],
    ),
  );

  /** The error for a flag that is given twice. */
  function thrownFor(command: Command, option: Option): unknown {
    // Accepts any value.
    option.argParser((value) => value as never);
    const give = () => (command as unknown as EventEmitter).emit(`option:${option.name()}`, "x");
    give();
    try {
      give();
    } catch (error) {
      return error;
    }
    return undefined;
  }

  it("is an error that names it, for each flag with a value, unless its values add up", () => {
    const accepted = new Set<string>();
    for (const { command, option } of flags) {
      const error = thrownFor(command, option);
      if (error === undefined) accepted.add(option.long ?? "");
      else
        expect(error).toMatchObject({
          code: "usage",
          message: `${option.long} is given more than once`,
        });
    }
    expect(flags.length).toBeGreaterThan(100);
    expect([...accepted].sort()).toEqual([
      "--allow-reserved",
      "--env",
      "--env-file",
      "--exclude",
      "--only",
    ]);
  });
});
