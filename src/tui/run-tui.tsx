import chalk, { type ColorSupportLevel } from "chalk";
import { render } from "ink";
import { Root } from "./components/root.js";
import { FrameStream } from "./frame-stream.js";
import { listenToKeys } from "./keys.js";
import { Performer } from "./perform.js";
import type { Copy, Place } from "./ports.js";
import { createProgram } from "./program.js";
import { Screen } from "./screen.js";
import { initialState } from "./state/initial-state.js";
import { update } from "./state/update.js";
import type { TuiTerminal } from "./terminal.js";
import { createTheme, type ThemeName } from "./theme.js";

export interface TuiOptions {
  readonly places: readonly Place[];
  /** Index of the place to open. */
  readonly place: number;
  readonly copy: Copy;
  readonly terminal: TuiTerminal;
  readonly theme: ThemeName;
  readonly colorLevel: ColorSupportLevel;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Called after each reading that found something new, and is on the screen: a moment to clear up. */
  readonly onRead: () => void;
}

const TICK_MS = 1_000;

/**
 * Browses places on a terminal until a person quits or the process is asked to stop.
 *
 * @throws what is wrong with the program itself; all else is shown
 */
export async function runTui({ places, place, terminal, clock, ...options }: TuiOptions): Promise<void> {
  // Without colour there is still bold and inverse: what else would tell where the cursor is?
  const theme = createTheme(options.colorLevel === 0 ? "plain" : options.theme);
  // Lines are painted through chalk's own instance.
  chalk.level = options.colorLevel || 1;
  const screen = new Screen(terminal);
  let quit = () => {};
  const quitting = new Promise<void>((resolve) => {
    quit = resolve;
  });
  // After the picture, which is put off in the same way.
  const onRead = () => void setImmediate(options.onRead);
  const suspend = () => void terminal.suspend();
  const performer = new Performer({ places, copy: options.copy, clock, quit, suspend, onRead });
  const start = initialState({ ...terminal.size(), now: clock(), places, place });
  const program = createProgram(start, update, performer.perform, setImmediate);

  const frames = new FrameStream(
    () => terminal.size(),
    (frame) => screen.show(frame),
  );
  const view = render(<Root program={program} theme={theme} />, {
    // Its debug mode hands out whole frames, and Screen draws them.
    debug: true,
    stdout: frames as unknown as NodeJS.WriteStream,
    stdin: terminal.input,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const ticking = setInterval(() => program.dispatch({ type: "tick", now: clock() }), TICK_MS);
  const stopKeys = listenToKeys(terminal.input, (key) => program.dispatch({ type: "key", key }));
  const stopClearing = terminal.onCleared(() => screen.redraw());
  const stopResizing = terminal.onResize(() => {
    program.dispatch({ type: "resize", ...terminal.size() });
    screen.redraw();
  });
  try {
    await Promise.race([quitting, terminal.untilStopped, view.waitUntilExit()]);
  } finally {
    stopResizing();
    stopClearing();
    stopKeys();
    clearInterval(ticking);
    view.unmount();
    await performer.close();
  }
}
