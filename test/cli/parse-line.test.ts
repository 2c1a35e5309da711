import { describe, expect, it } from "vitest";
import {
  type Argument,
  argumentRows,
  type Command,
  type FlagRow,
  flagRows,
  OUTPUT_FLAGS,
} from "../../src/cli/arguments/command.js";
import { addValue, parseLine, splitWords } from "../../src/cli/arguments/parse-line.js";
import { findCommand, loadAll } from "../../src/cli/command-registry.js";
import { parseWithCommander } from "../../src/cli/parse-with-commander.js";
import { runCli, runWith } from "../support/cli.js";
import { Random } from "../support/random.js";

const clock = () => Date.parse("2026-01-31");

function leavesOf(command: Command, path: string[] = []): [string[], Command][] {
  const children = Object.entries(command.commands ?? {});
  if (children.length === 0) return [[path, command]];
  return children.flatMap(([name, child]) => leavesOf(child, [...path, name]));
}

const leaves = leavesOf(await loadAll()).filter(([, { run }]) => run);

/** What both parsers make of a line; `undefined` if it has a mistake. */
async function parseTwice(argv: readonly string[]) {
  const found = await findCommand(argv);
  const line = splitWords(found.words, found.command);
  const quick = found.command.run && parseLine(line, found.command, clock);
  const { code: slow } = await runWith((io) =>
    parseWithCommander(
      { ...found, words: line.words },
      { ...io, surroundings: { ...io.surroundings, clock } },
    ).catch(() => undefined),
  );
  return { quick, slow };
}

const TEXTS = [
  "A",
  "PORT,DB_*",
  "5",
  "0.5",
  "12h",
  "2026-12-31",
  "restart",
  "{}",
  "a=b",
  "",
  "-",
  "json",
];

class Lines {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** A line of a command: some flags in each of their forms, arguments, and now and then a mistake. */
  line(path: readonly string[], command: Command): string[] {
    const random = this.#random;
    const rows = [...new Set(flagRows({ ...command.flags, ...OUTPUT_FLAGS }).values())];
    const words = [
      ...Array.from({ length: random.below(4) }, () => this.#flag(random.pick(rows))),
      ...argumentRows(command).map((row) => [this.#valueOf(row)]),
      ...(random.below(4) === 0 ? [[this.#oddWord()]] : []),
    ];
    const shuffled = random.below(3) === 0 ? random.shuffle(words) : words;
    const leading = random.pick([[], [], ["-q"], ["--json"]]);
    return [...leading, ...path, ...shuffled.flat()];
  }

  #flag(row: FlagRow): string[] {
    const random = this.#random;
    const spelling = random.pick([row.long, row.short ?? row.long]);
    if (row.placeholder === undefined) return [random.below(12) ? spelling : `${spelling}q`];
    const value = this.#valueOf(row);
    return random.pick([
      [spelling, value],
      [spelling, value],
      [`${row.long}=${value}`],
      row.short ? [`${row.short}${value}`] : [row.long],
    ]);
  }

  /** Mostly a value that the flag or the argument accepts. */
  #valueOf(row: Argument): string {
    const random = this.#random;
    const all = [...(row.choices ?? []), ...TEXTS];
    const accepted = all.filter((text) => {
      try {
        addValue(row, text, undefined, clock);
        return true;
      } catch {
        return false;
      }
    });
    return random.pick(accepted.length > 0 && random.below(8) ? accepted : all);
  }

  #oddWord(): string {
    return this.#random.pick([
      "--",
      "--nope",
      "-x",
      "--json=1",
      "--json",
      "-qq",
      "---",
      "--=x",
      "-é",
      "--env=",
      "-n=q",
      "x\n-y",
    ]);
  }
}

describe("the two parsers of a command line", () => {
  it.each(leaves)("agree on lines of %j", async (path, command) => {
    const lines = new Lines(path.join().length);
    let accepted = 0;
    for (let round = 0; round < 60; round++) {
      const argv = lines.line(path, command);
      const { quick, slow } = await parseTwice(argv).catch(() => ({
        quick: undefined,
        slow: undefined,
      }));
      expect(quick, JSON.stringify(argv)).toEqual(slow);
      if (quick) accepted++;
    }
    expect(accepted).toBeGreaterThan(5);
  });

  it("leave a negative number as an argument to commander", async () => {
    const { quick, slow } = await parseTwice(["set", "PORT", "-5"]);
    expect([quick, slow?.args]).toEqual([undefined, { name: "PORT", value: "-5" }]);
  });
});

describe("splitWords", () => {
  it.each([
    ["run", "ls --json", "-- ls --json"],
    ["run", "--json ls --json", "--json -- ls --json"],
    ["run", "--only=A ls -o x", "--only=A -- ls -o x"],
    ["run", "-f A --watch ls", "--env-file=A --watch=5 -- ls"],
    ["run", "ls -- --json", "-- ls -- --json"],
    ["sandbox", "ls --watch", "-- ls --watch"],
    ["run", "-qf A ls -qf", "--quiet --env-file=A -- ls -qf"],
    ["run", "-qfA ls", "--quiet --env-file=A -- ls"],
    ["get", "-nq --cache A", "--no-newline --quiet --cache=86400 A"],
    ["import", "--encrypt A,B .env", "--encrypt=A,B .env"],
    ["import", ".env --encrypt --dry-run", ".env --encrypt=* --dry-run"],
    ["run", "--only A -- ls --json", "--only=A -- ls --json"],
    ["run", "--only -qo", "--only=-qo"],
    ["run", "--only", "--only"],
  ])("makes of the words of %s: %s", async (name = "", line = "", expected = "") => {
    const { command } = await findCommand([name]);
    const { words } = splitWords(line.split(" "), command);
    expect(words.join(" ")).toBe(expected);
  });
});

it("a repeated flag is an error that names it, unless its values add up", () => {
  const accepted = new Set<string>();
  for (const row of leaves.flatMap(([, { flags }]) => [...flagRows(flags).values()])) {
    if (row.placeholder === undefined || row.refused) continue;
    const give = () => addValue({ ...row, parse: (text) => text }, "x", "x", clock);
    if (row.repeatable) accepted.add(row.long);
    else expect(give).toThrow(`${row.long} is given more than once`);
  }
  expect([...accepted].sort()).toEqual([
    "--allow-reserved",
    "--env",
    "--env-file",
    "--exclude",
    "--only",
  ]);
});

it.each(["--workers 4", "--workers=auto"])(
  "serve %s is refused, since it was removed",
  async (line) => {
    const { code, stderr } = await runCli(["serve", ...line.split(" ")]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("several servers behind a load balancer"),
    ]);
  },
);
