import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { createElement } from "react";
import { onTestFinished } from "vitest";
import type { SourceFlags } from "../../../src/cli/settings/setting-table.js";
import { writeValues } from "../../../src/cli/tui/place-files.js";
import { findPlaces } from "../../../src/cli/tui/places.js";
import type { Data } from "../../../src/store/data.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { Screen } from "../../../src/tui/program/draw.js";
import { createProgram } from "../../../src/tui/program/program.js";
import { pictureOf } from "../../../src/tui/program/screen.js";
import { type Command, keysByName } from "../../../src/tui/state/command.js";
import type { CopyOutcome, EditText } from "../../../src/tui/state/ports.js";
import { readingOf } from "../../../src/tui/state/reading.js";
import type { Preferences, State } from "../../../src/tui/state/state.js";
import { textWidth } from "../../../src/tui/text/graphemes.js";
import { createTheme } from "../../../src/tui/text/theme.js";
import type { Mouse } from "../../../src/tui/widgets/key.js";
import { type CliOptions, runWith } from "../../support/cli.js";
import { DEVELOPMENT } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { aRecord } from "../../support/records.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { renderFrame } from "./render-frame.js";
import { NOW, SECRET } from "./state.js";

type Profiles = Record<string, Record<string, unknown>>;

/** The user's config folder, with profiles that can be changed. */
export interface ProfileFolder {
  readonly path: string;
  write(profiles: Profiles): Promise<void>;
}

/** A config folder with these profiles, of which the first is the current one. */
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
export function developmentProfile(url: string | URL, change: object = {}): Record<string, unknown> {
  const { origin } = new URL(url);
  return { url: origin, api_key: DEVELOPMENT.apiKey, api_secret: DEVELOPMENT.apiSecret, ...change };
}

interface Options extends CliOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** By default all, with their own keys. */
  readonly commands?: readonly Command[];
  readonly preferences?: Preferences;
  /** The person's own editor: the text that it saves. */
  readonly edit?: EditText;
  readonly outcome?: CopyOutcome;
}

/** The TUI without a terminal, with places as the command finds them. Only `pass` moves its clock. */
export async function remoteProgram(flags: SourceFlags, { columns = 200, rows = 30, ...options }: Options) {
  const { commands = ALL_COMMANDS, edit = async (text) => text, outcome = { kind: "clipboard" } } = options;
  const { code: found } = await runWith(
    (io) => findPlaces(flags, { io, warn: (text) => void io.stderr.write(text) }),
    options,
  );
  const copied: string[] = [];
  const events: string[] = [];
  let now = NOW;
  const program = createProgram({
    places: found.places,
    follow: found.follow,
    copy: async (text) => {
      copied.push(text);
      return outcome;
    },
    write: writeValues,
    editText: edit,
    listFolder: async () => [],
    ticks: () => now,
    quit: () => void events.push("quit"),
    suspend: () => void events.push("suspend"),
    redraw: () => void events.push("redraw"),
    commands,
    start: { columns, rows, place: found.place, preferences: { keys: keysByName(commands), ...options.preferences } },
    defer: setImmediate,
  });
  onTestFinished(async () => {
    await program.close();
    await found.close();
  });
  const frame = () => {
    const picture = pictureOf(program.state, commands, createTheme("plain"));
    return stripVTControlCharacters(renderFrame(createElement(Screen, { picture }), program.state.columns));
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
  /** The cell of a text on the screen. */
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
    until,
    get state() {
      return program.state;
    },
    get names() {
      const { entries } = readingOf(program.state);
      return program.state.list.rows.map((row) => entries[row]?.variable.name);
    },
    /** Presses keys by their names, or types a text one key after another. */
    press(...names: string[]) {
      for (const name of names) program.press({ name, text: name.length === 1 ? name : "" });
    },
    paste(text: string) {
      program.press({ name: "paste", text });
    },
    /** Uses the mouse on the first cell of a text. */
    click(text: string, action: Mouse["action"] = "press") {
      program.mouse({ action, ...cellOf(text) });
    },
    /** Resolves to the screen once it matches all of these. */
    async shows(...expected: readonly RegExp[]): Promise<string> {
      await until(() => expected.every((each) => each.test(frame())));
      return frame();
    },
    /** The last line. */
    footer: () => frame().trimEnd().split("\n").at(-1) ?? "",
    /** Moves the clock by this many seconds, and sends a tick. */
    pass(seconds: number) {
      now += seconds * 1_000;
      program.tick();
    },
  };
}

/** Three environments of one application; production is one of them. */
export const SHOP: Data = {
  version: 1,
  environments: ["development", "test", "production"].map((name, index) => {
    return { id: index + 1, application: "shop", name, api_key: `key-${index}`, api_secret: `secret-${index}` };
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
    return { id: 11 + index, variable_id: Number(variable), environment_id: Number(environment), content: { value } };
  }) as Data["values"],
};

/** The TUI on a data file, which has been read. `env` is the environment that is open. */
export async function openTui({
  env = "development",
  data = SHOP,
  ...options
}: Omit<Options, "env"> & { env?: string; data?: Data } = {}) {
  const file = await dataFile(data);
  const tui = await remoteProgram({ data: file.path, env }, options);
  await tui.until(isWell);
  return Object.assign(tui, {
    file,
    /** The value that the file has for a variable now; undefined without one. */
    async saved(name: string, environment = env) {
      const now: Data = JSON.parse(await readFile(file.path, "utf8"));
      const variable = now.variables.find((each) => each.name === name);
      const place = now.environments.find((each) => each.name === environment);
      return now.values.find((each) => each.variable_id === variable?.id && each.environment_id === place?.id)?.content
        .value;
    },
  });
}

export type RemoteProgram = Awaited<ReturnType<typeof remoteProgram>>;

/** Whether everything was read, and nothing failed since. */
export function isWell(state: State): boolean {
  const { isComplete, isReading, failure, nextAt } = readingOf(state);
  return isComplete && !isReading && failure === undefined && nextAt !== undefined;
}

/** Whether the last try has failed. */
export function hasFailed(state: State): boolean {
  const { failure, nextAt } = readingOf(state);
  return failure !== undefined && (nextAt !== undefined || failure.code === "unauthorized");
}

/** Opens a place by its name. */
export async function openPlace(program: RemoteProgram, name: string): Promise<void> {
  program.press(":", ..."open ", ...name, "enter");
  await program.until((state) => isWell(state) || hasFailed(state));
}
