import { readFileSync } from "node:fs";
import { packageFile } from "../kit/files/package-file.js";
import { UsageError } from "../kit/text/errors.js";
import { suggestion } from "../kit/text/nearest.js";
import { type Command, LEADING_WORDS, VERSION_FLAG } from "./arguments/command.js";
import { writeLines } from "./output/output.js";

type CommandRow = readonly [summary: string, load: () => Promise<{ definition: Command }>];

/** The commands by the headings of the help, in its order. */
export const COMMANDS_BY_HEADING: Record<string, Record<string, CommandRow>> = {
  "Read variables:": {
    list: ["list the environment's variables", () => import("./commands/read/list.js")],
    get: ["print the values of variables", () => import("./commands/read/get.js")],
    show: ["show one variable, and where it comes from", () => import("./commands/read/show.js")],
    run: [
      "run a command with the variables in its environment",
      () => import("./commands/read/run.js"),
    ],
    export: [
      "print all values in the format of another program",
      () => import("./commands/read/export.js"),
    ],
    check: [
      "find variables without a value, and values that break their schema",
      () => import("./commands/read/check.js"),
    ],
    diff: ["compare two environments or sources", () => import("./commands/read/diff.js")],
    tui: ["browse variables on the full screen", () => import("./commands/read/tui.js")],
  },
  "Change data:": {
    init: ["create a data file, or the data of a store", () => import("./commands/change/init.js")],
    set: ["set a variable in a data file or a store", () => import("./commands/change/set.js")],
    unset: [
      "remove values from a data file or a store",
      () => import("./commands/change/unset.js"),
    ],
    import: ["import a dotenv, JSON or YAML file", () => import("./commands/change/import.js")],
    rename: ["rename a variable in all environments", () => import("./commands/change/rename.js")],
    env: ["manage environments and their credentials", () => import("./commands/change/env.js")],
    history: [
      "list the changes of a data file or a store",
      () => import("./commands/change/history.js"),
    ],
    rollback: [
      "restore values as they were before a change",
      () => import("./commands/change/rollback.js"),
    ],
    seal: [
      "encrypt the secrets in a data file or a store",
      () => import("./commands/change/seal.js"),
    ],
    unseal: [
      "write a sealed data file in plain text",
      async () => ({ definition: (await import("./commands/change/seal.js")).unseal }),
    ],
    migrate: [
      "copy all data to another file or store",
      () => import("./commands/change/migrate.js"),
    ],
    merge: [
      "merge two branches of a data file, for git",
      () => import("./commands/change/merge.js"),
    ],
  },
  "Serve and test:": {
    serve: [
      "serve the HTTP API from a data file or a store",
      () => import("./commands/serve/serve.js"),
    ],
    sandbox: ["run a command with a throwaway server", () => import("./commands/serve/sandbox.js")],
    health: ["print the server's health", () => import("./commands/serve/health.js")],
    doctor: ["find out why variables can't be read", () => import("./commands/serve/doctor.js")],
    sign: [
      "print the Authorization header for one request",
      () => import("./commands/serve/sign.js"),
    ],
    audit: ["list which values a client has read", () => import("./commands/serve/audit.js")],
    openapi: ["print the OpenAPI document of the API", () => import("./commands/serve/openapi.js")],
  },
  "Settings:": {
    profile: [
      "list, add, use and remove client profiles",
      () => import("./commands/settings/profile.js"),
    ],
    config: [
      "print the settings and where each comes from",
      () => import("./commands/settings/config.js"),
    ],
    allow: ["allow the .appvars.json of a project", () => import("./commands/settings/allow.js")],
    completion: [
      "print the completion script of a shell",
      () => import("./commands/settings/completion.js"),
    ],
    connection: [
      "print help for all flags of a source",
      () => import("./commands/settings/connection.js"),
    ],
  },
};

const ROWS: Record<string, CommandRow> = Object.assign({}, ...Object.values(COMMANDS_BY_HEADING));

/** `appvars` itself, which prints help. */
const ROOT: Command = {
  description: "Serve the variables of an application environment, and read them from scripts.",
  flags: VERSION_FLAG,
  examples: ["appvars serve"],
};

const VERSION: Command = {
  ...ROOT,
  flags: {},
  run(_args, _flags, { io }) {
    const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
    writeLines(io.stdout, [version]);
  },
};

export async function loadAll(): Promise<Command> {
  const commands: Record<string, Command> = {};
  for (const [name, [summary, load]] of Object.entries(ROWS))
    commands[name] = { ...(await load()).definition, summary };
  return { ...ROOT, commands };
}

/** A command that was called by its names, and the words around these. */
export interface CommandCall {
  /** Empty for `appvars` itself. */
  path: readonly string[];
  command: Command;
  words: readonly string[];
}

/**
 * Finds the command that a command line calls, and loads it. `help NAME`
 * becomes `NAME --help`.
 */
export async function findCommand(argv: readonly string[]): Promise<CommandCall> {
  const path: string[] = [];
  const leading: string[] = [];
  const rest = [...argv];
  let command = ROOT;
  for (let names = Object.keys(ROWS); names.length > 0; rest.shift()) {
    const [word] = rest;
    const isLeading = word !== undefined && LEADING_WORDS.includes(word);
    // commander reports another flag here; the next word may be its value.
    if (word === undefined || (word.startsWith("-") && !isLeading)) break;
    if (["-V", "-v", "--version"].includes(word)) [command, names] = [VERSION, []];
    else if (isLeading) leading.push(word);
    else if (word === "help") leading.push("--help");
    else if (names.includes(word)) {
      command = command.commands?.[word] ?? (await (ROWS[word] as CommandRow)[1]()).definition;
      path.push(word);
      names = Object.keys(command.commands ?? {});
    } else throw unknownCommandError(word, names);
  }
  return { path, command, words: [...leading, ...rest] };
}

/** The commands that people mean by names of other programs. */
const FOREIGN_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["ls", ["list"]],
  ["rm", ["unset", "remove"]],
  ["delete", ["unset", "remove"]],
  ["remove", ["unset"]],
  ["info", ["show"]],
  ["edit", ["tui"]],
  ["printenv", ["get", "export"]],
  ["explain", ["show"]],
]);

function unknownCommandError(word: string, names: readonly string[]): UsageError {
  const meant = FOREIGN_NAMES.get(word)
    ?.filter((name) => names.includes(name))
    .join(" or ");
  const hint = meant ? ` (did you mean ${meant}?)` : suggestion(word, names);
  return new UsageError(`unknown command '${word}'${hint || "; see --help"}`);
}
