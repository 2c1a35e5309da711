import { EventEmitter } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import chalk from "chalk";
import { render } from "ink";
import { createElement, type ReactNode } from "react";
import { onTestFinished } from "vitest";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import type { VariableSource } from "../../../src/model/reads/read.js";
import type { VariableType } from "../../../src/model/variable.js";
import { Service } from "../../../src/service/service.js";
import type { Data, VariableRecord } from "../../../src/store/data.js";
import { createMemoryStore } from "../../../src/store/memory/memory-store.js";
import type { GivenFlags } from "../../../src/tasks/settings/setting-table.js";
import { findPlaces } from "../../../src/tui/adapters/find-places.js";
import { listFolder, writeValues } from "../../../src/tui/adapters/import-export.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/all-commands.js";
import { ScreenView } from "../../../src/tui/program/draw.js";
import { frameOf } from "../../../src/tui/program/frame.js";
import { Program, type ProgramOptions } from "../../../src/tui/program/program.js";
import type { CopyOutcome, OpenInEditor, WriteValues } from "../../../src/tui/state/ports.js";
import { readingOf } from "../../../src/tui/state/readings.js";
import type { Command, Preferences, State } from "../../../src/tui/state/state.js";
import { listOf, namesOf } from "../../../src/tui/table/selection.js";
import { textWidth } from "../../../src/tui/text/graphemes.js";
import {
  createTheme,
  THEME_NAMES,
  type Theme,
  type ThemeName,
} from "../../../src/tui/text/theme.js";
import type { Mouse } from "../../../src/tui/widgets/key.js";
import { aCaller } from "../../support/caller.js";
import { type CliOptions, runCli, runWith } from "../../support/cli.js";
import { DEVELOPMENT } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { aRecord } from "../../support/records.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** The time at which tests start, in milliseconds. */
const NOW = Date.UTC(2026, 0, 31);

/** How long the picture stays on the screen before a click, short enough for a double click. */
const AIM_MS = 300;

/** The pause after which keys act again. */
const READING_MS = 500;

/** A value that must not appear while it is masked. It is short, so that no column cuts it. */
export const SECRET = "hunter2";

const THEMES = Object.fromEntries(THEME_NAMES.map((name) => [name, createTheme(name)])) as Record<
  ThemeName,
  Theme
>;

type Profiles = Record<string, Record<string, unknown>>;

/** The user's config folder, with profiles that can be changed. */
export interface ProfileFolder {
  readonly path: string;
  write(profiles: Profiles): Promise<void>;
}

/** A file with an encryption key. */
export async function keyFile(key: string): Promise<string> {
  const path = join(await temporaryFolder(), "key");
  await writeFile(path, key, { mode: 0o600 });
  return path;
}

/** Creates a config folder with profiles. The first one is the current profile. */
export async function profileFolder(profiles: Profiles): Promise<ProfileFolder> {
  const path = await temporaryFolder();
  const write = async (next: Profiles) => {
    const file = join(path, "profiles.json");
    const [current] = Object.keys(next);
    await writeFile(file, JSON.stringify({ version: 1, current, profiles: next }), { mode: 0o600 });
    await chmod(file, 0o600);
  };
  await mkdir(path, { recursive: true });
  await write(profiles);
  return { path, write };
}

/** A profile for shop/development on a server for `DATA`. */
export function developmentProfile(
  url: string | URL,
  change: object = {},
): Record<string, unknown> {
  const { origin } = new URL(url);
  return { url: origin, api_key: DEVELOPMENT.apiKey, api_secret: DEVELOPMENT.apiSecret, ...change };
}

interface TuiOptions {
  /** The current folder. */
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** Whether the terminal shows only ASCII. */
  readonly isAscii?: boolean;
  /** Default: all commands, with their default keys. */
  readonly commands?: readonly Command[];
  readonly preferences?: Preferences;
  /** The user's own editor. Returns the text that it saves. */
  readonly edit?: OpenInEditor;
  readonly outcome?: CopyOutcome;
  readonly write?: WriteValues;
}

/** The TUI without a terminal, with places as the command finds them. */
export async function remoteProgram(flags: GivenFlags, options: TuiOptions & CliOptions) {
  const { code: found } = await runWith(
    (io) =>
      findPlaces(flags, aCaller(io.surroundings, { warn: (text) => void io.stderr.write(text) })),
    options,
  );
  onTestFinished(() => found.close());
  const { cwd = "/nowhere" } = options;
  const example = ["init", "--example", "--data", join(cwd, "appvars.data.json")];
  const createExample = async () => void (await runCli(example, options));
  return startTui(
    { ...found, welcome: found.welcome && { ...found.welcome, createExample } },
    { cwd, ...options },
  );
}

/** The TUI without a terminal. Only `pass` moves its clock. */
export function startTui(
  {
    places,
    place = 0,
    follow,
    welcome,
  }: Pick<ProgramOptions, "places" | "follow" | "welcome"> & { place?: number },
  {
    cwd = "/nowhere",
    columns = 200,
    rows = 30,
    commands = ALL_COMMANDS,
    write = writeValues,
    ...options
  }: TuiOptions = {},
) {
  const { edit = async (text) => text, outcome = { kind: "clipboard" }, isAscii } = options;
  const copied: string[] = [];
  const events: string[] = [];
  let now = NOW;
  const program = new Program({
    places,
    follow,
    copy: async (text) => {
      copied.push(text);
      return outcome;
    },
    write,
    openInEditor: edit,
    listFolder: (folder) => listFolder(folder, { cwd: () => cwd, env: {} }),
    welcome,
    ticks: () => now,
    quit: () => void events.push("quit"),
    suspend: () => void events.push("suspend"),
    redraw: () => void events.push("redraw"),
    start: {
      columns,
      rows,
      place,
      commands,
      preferences: options.preferences ?? {},
    },
    defer: setImmediate,
  });
  onTestFinished(() => program.close());
  const ink = inkScreen(() => program.state.columns);
  const draw = (theme: ThemeName) => {
    const picture = frameOf(program.state, isAscii);
    return ink.draw(createElement(ScreenView, { picture, theme: THEMES[theme] }));
  };
  let last: { readonly state: State; readonly text: string } | undefined;
  /** Each state is drawn only once, since drawing takes longer than anything else. */
  const frame = () => {
    const { state } = program;
    if (last?.state !== state) last = { state, text: stripVTControlCharacters(draw("plain")) };
    program.shown();
    return last.text;
  };
  const until = (isReached: (state: State) => boolean): Promise<void> => {
    return new Promise((resolve) => {
      const look = () => {
        if (!isReached(program.state)) return;
        stop();
        resolve();
      };
      const stop = program.subscribe(look);
      setImmediate(look);
    });
  };
  /** Finds the cell of a text on the screen. */
  const cellOf = (text: string) => {
    const lines = frame().split("\n");
    const row = lines.findIndex((line) => line.includes(text));
    if (row < 0) throw new Error(`"${text}" is not on the screen:\n${lines.join("\n")}`);
    return { row, column: textWidth(lines[row]?.split(text)[0] ?? "") };
  };
  return {
    program,
    copied,
    events,
    frame,
    /** The frame as a terminal with all colors gets it. */
    painted(theme: ThemeName): string {
      const { level } = chalk;
      chalk.level = 3;
      try {
        return draw(theme);
      } finally {
        chalk.level = level;
      }
    },
    until,
    get state() {
      return program.state;
    },
    /** What is known about the open place. */
    get reading() {
      return readingOf(program.state);
    },
    get names() {
      return namesOf(listOf(program.state));
    },
    /** Presses keys by name, or types a text one key after another. */
    press(...names: string[]) {
      program.shown();
      // A user reads a refusal before pressing the next key.
      if (program.state.notice?.tone === "error") now += READING_MS;
      for (const name of names) program.press({ name, text: name.length === 1 ? name : "" });
    },
    paste(text: string) {
      program.press({ name: "paste", text });
    },
    cellOf,
    /** Uses the mouse on the first cell of a text. */
    click(text: string, action: Mouse["action"] = "press") {
      const cell = cellOf(text);
      now += AIM_MS;
      program.mouse({ action, ...cell });
    },
    /** Resolves to the screen once it matches all of these. */
    async shows(...expected: readonly RegExp[]): Promise<string> {
      await until(() => expected.every((each) => each.test(frame())));
      return frame();
    },
    /** Like `shows`, but lets time pass, for changes that the TUI finds by polling. */
    async tickUntil(...expected: readonly RegExp[]): Promise<string> {
      await until(() => {
        if (expected.every((each) => each.test(frame()))) return true;
        now += 1_000;
        program.tick();
        return false;
      });
      return frame();
    },
    /** The first word of the title of the panel with the focus. */
    title: () => /▶ (\S+)/.exec(frame())?.[1],
    /** The last line. */
    footer: () => frame().trimEnd().split("\n").at(-1) ?? "",
    /** Moves the clock by this many seconds, and sends a tick. */
    pass(seconds: number) {
      now += seconds * 1_000;
      program.tick();
    },
  };
}

/** A screen of ink in memory. `draw` returns the next frame. */
export function inkScreen(columns: () => number) {
  let frame = "";
  const stdout = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      frame = text;
      done();
    },
  });
  Object.defineProperty(stdout, "columns", { get: columns });
  const instance = render(null, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: new EventEmitter() as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  onTestFinished(() => {
    instance.unmount();
    instance.cleanup();
  });
  return {
    draw: (element: ReactNode) => {
      instance.rerender(element);
      return frame;
    },
  };
}

/** Three environments of one application; production is one of them. */
export const SHOP: Data = {
  version: 1,
  environments: ["development", "test", "production"].map((name, index) => {
    return {
      id: index + 1,
      application: "shop",
      name,
      api_key: `key-${index}`,
      api_secret: `secret-${index}`,
    };
  }),
  variables: [
    aRecord({ id: 1, name: "DATABASE_URL", description: "Primary database" }),
    aRecord({ id: 2, type: "NUMBER", name: "PORT" }),
    aRecord({ id: 3, type: "JSON", name: "FLAGS" }),
    aRecord({ id: 4, type: "BOOLEAN", name: "UNSET", description: "Has no value here" }),
    aRecord({ id: 5, type: "BOOLEAN", name: "DEBUG" }),
  ],
  values: [
    [1, 1, SECRET],
    [2, 1, 3000],
    [3, 1, { beta: [1, null] }],
    [5, 1, true],
    [1, 2, `other ${SECRET}`],
    [2, 2, 3000],
    [1, 3, `live ${SECRET}`],
    [2, 3, 80],
    [4, 3, true],
  ].map(([variable, environment, value], index) => {
    return {
      id: 11 + index,
      variable_id: Number(variable),
      environment_id: Number(environment),
      content: { value },
    };
  }) as Data["values"],
};

/** A variable, and its values in the three environments. */
export interface Row extends Partial<VariableRecord> {
  /** The values in development, test and production. `undefined` for no value. */
  readonly values: readonly (JsonValue | undefined)[];
}

/**
 * The environments of `SHOP` with variables, which by default have the type of their first value.
 */
export function shopOf(...rows: readonly Row[]): Data {
  return {
    ...SHOP,
    variables: rows.map(({ values, ...record }, index) => {
      return aRecord({
        id: index + 1,
        type: typeOf(values.find((value) => value !== undefined)),
        ...record,
      });
    }),
    values: rows.flatMap(({ values }, index) =>
      values.flatMap((value, place) => {
        const id = 100 * (index + 1) + place;
        return value === undefined
          ? []
          : [{ id, variable_id: index + 1, environment_id: place + 1, content: { value } }];
      }),
    ),
  };
}

function typeOf(value: JsonValue = ""): VariableType {
  return (
    ({ string: "STRING", number: "NUMBER", boolean: "BOOLEAN" } as const)[
      typeof value as "string"
    ] ?? "JSON"
  );
}

/** The source of development with these variables. */
export function localSource(...rows: readonly Row[]): VariableSource {
  const service = new Service(createMemoryStore(shopOf(...rows)), () => 0);
  return service.source(service.findEnvironment("shop/development"));
}

/**
 * Opens the TUI on a data file, and waits until it has been read. `env` is the open environment.
 */
export async function openTui({
  env = "development",
  data = SHOP,
  encKeyFile,
  ...options
}: TuiOptions & Omit<CliOptions, "env"> & { env?: string; data?: Data; encKeyFile?: string } = {}) {
  const file = await dataFile(data);
  const tui = await remoteProgram(
    { data: file.path, env, ...(encKeyFile && { encKeyFile }) },
    options,
  );
  await tui.until(isWell);
  return Object.assign(tui, {
    file,
    data,
    /** The current value of a variable in the file, or `undefined` if there is none. */
    async saved(name: string, environment = env) {
      const now: Data = JSON.parse(await readFile(file.path, "utf8"));
      const variable = now.variables.find((each) => each.name === name);
      const place = now.environments.find((each) => each.name === environment);
      return now.values.find(
        (each) => each.variable_id === variable?.id && each.environment_id === place?.id,
      )?.content.value;
    },
  });
}

/** The name of the variable under the cursor of the list. */
export const selectedIn = (frame: string) => /[┃│]›[ +~!][ ✓] ?(\w+)/.exec(frame)?.[1];

export type RemoteProgram = Awaited<ReturnType<typeof remoteProgram>>;

/** Whether everything has been read, and nothing has failed since. */
export function isWell(state: State): boolean {
  const { isComplete, isReading, failure, nextAt } = readingOf(state);
  return isComplete && !isReading && failure === undefined && nextAt !== undefined;
}

/** Whether the last try has failed. */
export function hasFailed(state: State): boolean {
  const { failure, nextAt } = readingOf(state);
  return failure !== undefined && (nextAt !== undefined || failure.code === "unauthorized");
}

/** Opens a place by name. */
export async function openPlace(program: RemoteProgram, name: string): Promise<void> {
  program.press(":", ..."open ", ...name, "enter");
  await program.until((state) => isWell(state) || hasFailed(state));
}
