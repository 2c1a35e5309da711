import { UsageError } from "../kit/text/errors.js";
import { nearest } from "../kit/text/nearest.js";
import { OUTPUT_WORDS } from "./output/context.js";

/** Loads the module of a command when it is called. The module of `get` exports `getCommand`. */
type Load = () => Promise<object>;

/** The commands by the headings of the help, in its order. */
export const GROUPS: Record<
  string,
  Record<string, readonly [args: string, summary: string, load: Load]>
> = {
  "Read variables:": {
    list: ["", "list the environment's variables", () => import("./commands/list.js")],
    get: ["<name...>", "print the values of variables", () => import("./commands/get.js")],
    show: [
      "<name>",
      "show one variable, and where it comes from",
      () => import("./commands/show.js"),
    ],
    run: [
      "<command...>",
      "run a command with the variables in its environment",
      () => import("./commands/run.js"),
    ],
    export: [
      "",
      "print all values in the format of another program",
      () => import("./commands/export/export.js"),
    ],
    check: [
      "",
      "find variables without a value, and values that break their schema",
      () => import("./commands/check.js"),
    ],
    diff: ["<a> [b]", "compare two environments or sources", () => import("./commands/diff.js")],
    tui: ["", "browse variables on the full screen", () => import("./commands/tui.js")],
  },
  "Change data:": {
    init: ["", "create a data file, or the data of a store", () => import("./commands/init.js")],
    set: [
      "<name> [value]",
      "set a variable in a data file or a store",
      () => import("./commands/set.js"),
    ],
    unset: [
      "<name...>",
      "remove values from a data file or a store",
      () => import("./commands/unset.js"),
    ],
    import: ["<file>", "import a dotenv, JSON or YAML file", () => import("./commands/import.js")],
    rename: [
      "<name> <new>",
      "rename a variable in all environments",
      () => import("./commands/rename.js"),
    ],
    env: ["", "manage environments and their credentials", () => import("./commands/env/env.js")],
    history: [
      "[name]",
      "list the changes of a data file or a store",
      () => import("./commands/history/history.js"),
    ],
    rollback: [
      "<number>",
      "bring back what there was before a change",
      () => import("./commands/history/rollback.js"),
    ],
    seal: [
      "[data]",
      "encrypt the secrets in a data file or a store",
      () => import("./commands/seal.js"),
    ],
    unseal: [
      "[data]",
      "write a sealed data file in clear again",
      () => import("./commands/seal.js"),
    ],
    migrate: [
      "<from> <to>",
      "copy all data to another file or store",
      () => import("./commands/migrate.js"),
    ],
    merge: [
      "<file...>",
      "merge two branches of a data file, for git",
      () => import("./commands/merge.js"),
    ],
  },
  "Serve and test:": {
    serve: [
      "",
      "serve the HTTP API from a data file or a store",
      () => import("./commands/serve/serve.js"),
    ],
    sandbox: [
      "<command...>",
      "run a command with a throwaway server",
      () => import("./commands/sandbox/sandbox.js"),
    ],
    health: ["", "print the server's health", () => import("./commands/health.js")],
    doctor: ["", "find out why variables can't be read", () => import("./commands/doctor.js")],
    sign: [
      "<method> <path>",
      "print the Authorization header for one request",
      () => import("./commands/sign.js"),
    ],
    audit: [
      "<file...>",
      "list which values a client has read",
      () => import("./commands/audit.js"),
    ],
    openapi: ["", "print the OpenAPI document of the API", () => import("./commands/openapi.js")],
  },
  "Settings:": {
    profile: [
      "",
      "list, add, use and remove client profiles",
      () => import("./commands/profile/profile.js"),
    ],
    config: [
      "",
      "print the settings and where each comes from",
      () => import("./commands/config.js"),
    ],
    allow: ["[file]", "allow the .appvars.json of a project", () => import("./commands/allow.js")],
    completion: [
      "<bash|zsh|fish>",
      "print the completion script of a shell",
      () => import("./commands/completion.js"),
    ],
    connection: [
      "",
      "print help for all flags of a source",
      () => import("./arguments/source-flags.js"),
    ],
  },
};

export const VERSION_FLAGS = ["-V", "-v", "--version"];

/** The flags that may stand before a command. */
const SWITCHES = [...OUTPUT_WORDS, "-h", "--help", ...VERSION_FLAGS];

export const NAMES = Object.values(GROUPS).flatMap(Object.keys);

/** @param below returns the commands below a path */
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
  return new UsageError(
    `unknown command '${word}'${suggestion ? ` (did you mean ${suggestion}?)` : "; see --help"}`,
  );
}
