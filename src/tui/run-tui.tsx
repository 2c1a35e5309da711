import { once } from "node:events";
import { Writable } from "node:stream";
import chalk, { type ColorSupportLevel } from "chalk";
import { render } from "ink";
import { useSyncExternalStore } from "react";
import { ALL_COMMANDS } from "./commands/all-commands.js";
import { App, ThemeContext } from "./components/app.js";
import { Performer, type PerformerOptions } from "./program/perform.js";
import { createProgram, type Program } from "./program/program.js";
import { update } from "./program/update.js";
import { initialState } from "./state/loading.js";
import { listenToKeys } from "./terminal/keys.js";
import { Screen } from "./terminal/screen.js";
import type { TuiTerminal } from "./terminal/terminal.js";
import { createTheme, type ThemeName } from "./text/theme.js";

export interface TuiOptions extends Omit<PerformerOptions, "quit" | "suspend"> {
  /** Index of the place to open. */
  readonly place: number;
  /** Index of one to offer: the cursor is on it, and the list of places has the focus. */
  readonly offered?: number;
  readonly terminal: TuiTerminal;
  readonly theme: ThemeName;
  readonly colorLevel: ColorSupportLevel;
}

const TICK_MS = 1_000;

/** Browses places until a person quits or the process is to stop. @throws bugs; other errors are shown on the screen */
export async function runTui({ place, offered, terminal, theme, colorLevel, ...options }: TuiOptions): Promise<void> {
  const { places, ticks } = options;
  // Lines are painted with chalk's global instance.
  chalk.level = colorLevel || 1;
  const screen = new Screen(terminal);
  const quitting = new AbortController();
  const performer = new Performer({
    ...options,
    quit: () => quitting.abort(),
    suspend: () => void terminal.suspend(),
    // After the frame, which is deferred in the same way.
    onRead: () => void setImmediate(options.onRead),
  });
  const start = initialState({ ...terminal.size(), now: ticks(), places, place, offered });
  const program = createProgram(start, update, performer.perform, setImmediate);

  const frames = new Writable({
    decodeStrings: false,
    write(frame: string, _encoding, done) {
      screen.show(frame);
      done();
    },
  });
  const stdout = Object.assign(frames, { columns: terminal.size().columns });
  const view = render(
    // Without colors there is still bold and inverse, or the cursor would be invisible.
    <ThemeContext value={createTheme(colorLevel === 0 ? "plain" : theme)}>
      <CurrentApp program={program} />
    </ThemeContext>,
    {
      // In debug mode each write is a whole frame, without escape sequences of ink itself.
      debug: true,
      stdout: stdout as unknown as NodeJS.WriteStream,
      stdin: terminal.input,
      exitOnCtrlC: false,
      patchConsole: false,
    },
  );
  const ticking = setInterval(() => program.dispatch({ type: "tick", now: ticks() }), TICK_MS);
  const stopKeys = listenToKeys(terminal.input, (key) => program.dispatch({ type: "key", key }));
  terminal.onCleared(() => screen.redraw());
  terminal.onResize(() => {
    stdout.columns = terminal.size().columns;
    program.dispatch({ type: "resize", ...terminal.size() });
    screen.redraw();
  });
  try {
    await Promise.race([once(quitting.signal, "abort"), terminal.untilStopped, view.waitUntilExit()]);
  } finally {
    stopKeys();
    clearInterval(ticking);
    view.unmount();
    await performer.close();
  }
}

function CurrentApp({ program }: { readonly program: Program }) {
  const state = useSyncExternalStore(program.subscribe, () => program.state);
  return <App state={state} commands={ALL_COMMANDS} />;
}
