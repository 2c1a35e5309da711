import chalk, { type ColorSupportLevel } from "chalk";
import { render } from "ink";
import { Root } from "./components/root.js";
import { Performer } from "./program/perform.js";
import { createProgram } from "./program/program.js";
import { update } from "./program/update.js";
import { initialState } from "./state/loading.js";
import type { Copy, Place } from "./state/ports.js";
import { FrameStream } from "./terminal/frame-stream.js";
import { listenToKeys } from "./terminal/keys.js";
import { Screen } from "./terminal/screen.js";
import type { TuiTerminal } from "./terminal/terminal.js";
import { createTheme, type ThemeName } from "./text/theme.js";

export interface TuiOptions {
  readonly places: readonly Place[];
  /** Index of the place to open. */
  readonly place: number;
  readonly copy: Copy;
  readonly terminal: TuiTerminal;
  readonly theme: ThemeName;
  readonly colorLevel: ColorSupportLevel;
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
  /** Called after each read that found changes, once they are on the screen: a moment to free memory. */
  readonly onRead: () => void;
}

const TICK_MS = 1_000;

/**
 * Browses places on a terminal until a person quits or the process receives a signal to stop.
 *
 * @throws bugs; all other errors are shown on the screen
 */
export async function runTui({ places, place, terminal, ticks, ...options }: TuiOptions): Promise<void> {
  // Without colors there is still bold and inverse, or the cursor would be invisible.
  const theme = createTheme(options.colorLevel === 0 ? "plain" : options.theme);
  // Lines are painted with chalk's global instance.
  chalk.level = options.colorLevel || 1;
  const screen = new Screen(terminal);
  let quit = () => {};
  const untilQuit = new Promise<void>((resolve) => {
    quit = resolve;
  });
  // After the frame, which is deferred in the same way.
  const onRead = () => void setImmediate(options.onRead);
  const suspend = () => void terminal.suspend();
  const performer = new Performer({ places, copy: options.copy, ticks, quit, suspend, onRead });
  const start = initialState({ ...terminal.size(), now: ticks(), places, place });
  const program = createProgram(start, update, performer.perform, setImmediate);

  const frames = new FrameStream(
    () => terminal.size(),
    (frame) => screen.show(frame),
  );
  const view = render(<Root program={program} theme={theme} />, {
    // In debug mode ink writes whole frames, which Screen draws.
    debug: true,
    stdout: frames as unknown as NodeJS.WriteStream,
    stdin: terminal.input,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const ticking = setInterval(() => program.dispatch({ type: "tick", now: ticks() }), TICK_MS);
  const stopKeys = listenToKeys(terminal.input, (key) => program.dispatch({ type: "key", key }));
  const stopClearing = terminal.onCleared(() => screen.redraw());
  const stopResizing = terminal.onResize(() => {
    program.dispatch({ type: "resize", ...terminal.size() });
    screen.redraw();
  });
  try {
    await Promise.race([untilQuit, terminal.untilStopped, view.waitUntilExit()]);
  } finally {
    stopResizing();
    stopClearing();
    stopKeys();
    clearInterval(ticking);
    view.unmount();
    await performer.close();
  }
}
