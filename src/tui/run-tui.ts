import { EventEmitter, once } from "node:events";
import type { ColorSupportLevel } from "chalk";
import { frameOf } from "./program/frame.js";
import { Program, type ProgramOptions } from "./program/program.js";
import { keysByName } from "./state/command.js";
import type { Preferences } from "./state/state.js";
import { FrameStream, type TuiTerminal } from "./terminal/frame-stream.js";
import { listenToInput } from "./terminal/input.js";
import { BACKGROUND_QUESTION, createTheme, shadeOf, type ThemeName } from "./text/theme.js";

export interface TuiOptions
  extends Omit<ProgramOptions, "quit" | "suspend" | "redraw" | "start" | "defer"> {
  /** The index of the place to open. */
  readonly place: number;
  readonly terminal: TuiTerminal;
  readonly preferences: Preferences;
  /** `auto` adapts to the background of the terminal. */
  readonly theme: ThemeName;
  readonly colorLevel: ColorSupportLevel;
  /** Whether the terminal shows only ASCII. */
  readonly isAscii: boolean;
}

const TICK_MS = 1_000;

/**
 * The shortest time between frames. Answers of a server can arrive faster than they can be drawn.
 */
const FRAME_MS = 30;

/**
 * A later reply is ignored, because changing colors would disturb a user who is already reading.
 */
const ANSWER_MS = 500;

/**
 * Loads ink, which is in a bundle of its own. It reads the current folder, so load it while errors
 * can still be printed.
 */
export function loadDrawing() {
  return import("./program/draw.js");
}

/**
 * Runs the TUI until the user quits or the process has to stop.
 *
 * @throws bugs; other errors are shown on the screen
 */
export async function runTui({ place, terminal, commands, ...options }: TuiOptions): Promise<void> {
  const { theme, colorLevel, isAscii, preferences } = options;
  const screen = new FrameStream(terminal);
  const quitting = new AbortController();
  let drawnAt = Number.NEGATIVE_INFINITY;
  const program = new Program({
    ...options,
    commands,
    quit: () => quitting.abort(),
    suspend: () => void terminal.suspend(),
    redraw: () => redraw(),
    start: {
      ...terminal.size(),
      place,
      preferences: { ...preferences, keys: keysByName(commands) },
    },
    defer: (draw) => void setTimeout(draw, Math.max(0, drawnAt + FRAME_MS - options.ticks())),
  });
  // Without colors, bold and inverse remain, since the cursor would otherwise be invisible.
  const chosen = colorLevel === 0 ? "plain" : theme;
  let colors = createTheme(chosen);
  const picture = () => {
    if (!terminal.isBusy()) program.shown();
    return { picture: frameOf(program.state, commands, isAscii), theme: colors };
  };
  const { startDrawing } = await loadDrawing();
  const drawing = startDrawing(picture(), screen, terminal.input, colorLevel || 1);
  const show = () => {
    drawnAt = options.ticks();
    drawing.show(picture());
  };
  const redraw = () => {
    screen.clear();
    show();
  };
  program.subscribe(show);
  const answers = new EventEmitter();
  const follow = ([text]: string[]) => {
    colors = createTheme(shadeOf(text) ?? chosen);
    show();
  };
  const isAsked = chosen === "auto";
  const answered =
    isAsked &&
    once(answers, "answer", { signal: AbortSignal.timeout(ANSWER_MS) }).then(follow, () => {});
  const ticking = setInterval(() => program.tick(), TICK_MS);
  const stopInput = listenToInput(terminal.input, {
    onKey: (key) => program.press(key),
    onMouse: (mouse) => program.mouse(mouse),
    onAnswer: (text) => answers.emit("answer", text),
  });
  if (isAsked) terminal.write(BACKGROUND_QUESTION);
  terminal.onCleared(redraw);
  terminal.onResize(() => {
    program.resize(terminal.size());
    redraw();
  });
  try {
    await Promise.race([once(quitting.signal, "abort"), terminal.untilStopped, drawing.ended]);
    // Otherwise the shell would take the reply as typed text.
    if (quitting.signal.aborted) await Promise.race([answered, terminal.untilStopped]);
  } finally {
    stopInput();
    clearInterval(ticking);
    drawing.stop();
    await program.close();
  }
}
