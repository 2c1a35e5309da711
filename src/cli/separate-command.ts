import type { Option } from "commander";

/** The commands that start a program: what follows its name belongs to it. */
const STARTERS = ["run", "sandbox"];

/**
 * The words of the command line with `--` before the program that `run` is to start, so that none of its flags is
 * taken for one of ours: `run --only A ls --json` is `run --only A -- ls --json`.
 *
 * @param options what `run` and the program itself know
 */
export function separateCommand(argv: readonly string[], options: readonly Option[]): string[] {
  const start = argv.findIndex((word) => !word.startsWith("-"));
  if (!STARTERS.includes(argv[start] ?? "")) return [...argv];
  let end = start + 1;
  while (argv[end]?.startsWith("-") && argv[end] !== "--") {
    const option = options.find(({ short, long }) => argv[end] === short || argv[end] === long);
    end += option?.required ? 2 : 1;
  }
  return end >= argv.length || argv[end] === "--" ? [...argv] : [...argv.slice(0, end), "--", ...argv.slice(end)];
}

/** The words that may be our own flags. */
export function ownWords(argv: readonly string[]): readonly string[] {
  return argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
}
