import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { createElement } from "react";
import { onTestFinished } from "vitest";
import type { SourceFlags } from "../../../src/cli/settings/setting-table.js";
import { writeValues } from "../../../src/cli/tui/place-files.js";
import { findPlaces } from "../../../src/cli/tui/places.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/table.js";
import { App } from "../../../src/tui/program/app.js";
import { Performer } from "../../../src/tui/program/perform.js";
import { createProgram } from "../../../src/tui/program/program.js";
import { update } from "../../../src/tui/program/update.js";
import { initialState } from "../../../src/tui/reading/loading.js";
import type { State } from "../../../src/tui/state/state.js";
import { type CliOptions, runWith } from "../../support/cli.js";
import { DEVELOPMENT } from "../../support/data.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { renderFrame } from "./render-frame.js";
import { NOW, PREFERENCES } from "./state.js";

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

/** The TUI without a terminal, with places as the command finds them. Only `pass` moves its clock. */
export async function remoteProgram(flags: SourceFlags, options: CliOptions, size = { columns: 200, rows: 30 }) {
  const { code: found } = await runWith(
    (io) => findPlaces(flags, { io, warn: (text) => void io.stderr.write(text) }),
    options,
  );
  const copied: string[] = [];
  let now = NOW;
  const performer = new Performer({
    places: found.places,
    follow: found.follow,
    copy: async (text) => {
      copied.push(text);
      return { kind: "clipboard" };
    },
    write: writeValues,
    editText: async (text) => text,
    listFolder: async () => [],
    ticks: () => now,
    quit: () => {},
    suspend: () => {},
    redraw: () => {},
  });
  const start = initialState({ ...size, now, places: found.places, place: found.place, preferences: PREFERENCES });
  const program = createProgram(start, update, performer.perform, setImmediate);
  onTestFinished(async () => {
    await performer.close();
    await found.close();
  });
  const frame = () =>
    stripVTControlCharacters(
      renderFrame(createElement(App, { state: program.state, commands: ALL_COMMANDS }), size.columns),
    );
  return {
    program,
    copied,
    performer,
    frame,
    get state() {
      return program.state;
    },
    get names() {
      const { loaded, list } = program.state;
      return list.rows.map((row) => loaded.entries[row]?.variable.name);
    },
    /** Presses keys by their names, or types a text one key after another. */
    press(...names: string[]) {
      for (const name of names) {
        program.dispatch({ type: "key", key: { name, text: name.length === 1 ? name : "" } });
      }
    },
    /** Moves the clock by this many seconds, and sends a tick. */
    pass(seconds: number) {
      now += seconds * 1_000;
      program.dispatch({ type: "tick", now });
    },
    /** Resolves once this is true of the state. */
    until(isReached: (state: State) => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!isReached(program.state)) return;
          stop();
          resolve();
        };
        const stop = program.subscribe(look);
        setImmediate(look);
      });
    },
  };
}

export type RemoteProgram = Awaited<ReturnType<typeof remoteProgram>>;

/** Whether everything was read, and nothing failed since. */
export function isWell({ loaded }: State): boolean {
  return loaded.isComplete && loaded.failure === undefined && loaded.nextAt !== undefined;
}

/** Whether the last try has failed. */
export function hasFailed({ loaded }: State): boolean {
  return loaded.failure !== undefined && (loaded.nextAt !== undefined || loaded.failure.code === "unauthorized");
}

/** Opens a place by its name. */
export async function openPlace(program: RemoteProgram, name: string): Promise<void> {
  const { generation } = program.state.loaded;
  program.press(":", ..."open ", ...name, "enter");
  await program.until((state) => state.loaded.generation > generation && (isWell(state) || hasFailed(state)));
}
