import { UsageError } from "../domain/errors.js";
import { nearest } from "../domain/nearest.js";
import { OUTPUT_WORDS } from "./output/context.js";

/** The commands by the headings of the help, as it lists them: help needs no code of theirs. */
export const GROUPS = {
  "Read variables:": {
    list: ["[options]", "list the environment's variables"],
    get: ["[options] <name...>", "print the values of variables"],
    show: ["[options] <name>", "show one variable, and where it comes from"],
    run: ["[options] <command...>", "run a command with the variables in its environment"],
    export: ["[options]", "print all values in the format of another program"],
    check: ["[options]", "find variables without a value, and values that break their schema"],
    diff: ["[options] <a> [b]", "compare two environments or sources"],
    tui: ["[options]", "browse variables on the full screen"],
  },
  "Change data:": {
    init: ["[options]", "create a data file, or the data of a store"],
    set: ["[options] <name> [value]", "set a variable in a data file or a store"],
    unset: ["[options] <name...>", "remove values from a data file or a store"],
    import: ["[options] <file>", "import a dotenv, JSON or YAML file"],
    rename: ["[options] <name> <new>", "rename a variable in all environments"],
    env: ["", "manage environments and their credentials"],
    history: ["[options] [name]", "list the changes of a data file or a store"],
    rollback: ["[options] <number>", "bring back what there was before a change"],
    seal: ["[options] [data]", "encrypt the secrets in a data file or a store"],
    unseal: ["[options] [data]", "write a sealed data file in clear again"],
    migrate: ["[options] <from> <to>", "copy all data to another file or store"],
    merge: ["[options] <file...>", "merge two branches of a data file, for git"],
  },
  "Serve and test:": {
    serve: ["[options]", "serve the HTTP API from a data file or a store"],
    sandbox: ["[options] <command...>", "run a command with a throwaway server"],
    health: ["[options]", "print the server's health"],
    doctor: ["[options]", "find out why variables can't be read"],
    sign: ["[options] <method> <path>", "print the Authorization header for one request"],
    audit: ["[options] <file...>", "list which values a client has read"],
    openapi: ["[options]", "print the OpenAPI document of the API"],
  },
  "Settings:": {
    profile: ["", "list, add, use and remove client profiles"],
    config: ["[options]", "print the settings and where each comes from"],
    allow: ["[options] [file]", "allow the .appvars.json of a project"],
    completion: ["<bash|zsh|fish>", "print the completion script of a shell"],
    connection: ["[options]", "print help for all flags of a source"],
  },
} satisfies Record<string, Record<string, readonly [usage: string, summary: string]>>;

type Groups = typeof GROUPS;

export type CommandName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

export const VERSION_FLAGS = ["-V", "-v", "--version"];

/** The flags that may stand before a command. */
const SWITCHES = [...OUTPUT_WORDS, "-h", "--help", ...VERSION_FLAGS];

const NAMES = Object.values(GROUPS).flatMap(Object.keys);

/** @param below the commands below a path */
export function findUnknownCommand(
  argv: readonly string[],
  below = (path: readonly string[]) => (path.length === 0 ? NAMES : []),
): UsageError | undefined {
  const path: string[] = [];
  for (const word of argv) {
    if (word === "help" || SWITCHES.includes(word)) continue;
    const names = below(path);
    // commander reports another flag here; the next word may be its value.
    if (names.length === 0 || word.startsWith("-")) return undefined;
    if (!names.includes(word)) return unknownCommand(word, names);
    path.push(word);
  }
  return undefined;
}

/** The commands that other programs' names and former ones stand for. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ["ls", ["list"]],
  ["rm", ["unset", "remove"]],
  ["delete", ["unset", "remove"]],
  ["remove", ["unset"]],
  ["info", ["show"]],
  ["edit", ["tui"]],
  ["printenv", ["get", "export"]],
  ["explain", ["show"]],
]);

function unknownCommand(word: string, names: readonly string[]): UsageError {
  const meant = MEANT.get(word)
    ?.filter((name) => names.includes(name))
    .join(" or ");
  const suggestion = meant || nearest(word, names);
  return new UsageError(`unknown command '${word}'${suggestion ? ` (did you mean ${suggestion}?)` : "; see --help"}`);
}
