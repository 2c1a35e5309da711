import { EventEmitter, once } from "node:events";
import type { ColorSupportLevel } from "chalk";
import { frameOf } from "./program/frame.js";
import { Program, type ProgramOptions } from "./program/program.js";
import type { Preferences, State } from "./state/state.js";
import { FrameStream, type TuiTerminal } from "./terminal/frame-stream.js";
import { listenToInput } from "./terminal/input.js";
import { BACKGROUND_QUESTION, createTheme, shadeOf, type ThemeName } from "./text/theme.js";

export interface TuiOptions
  extends Omit<ProgramOptions, "quit" | "suspend" | "redraw" | "start" | "defer"> {
  /** The index of the place to open. */
  readonly place: number;
  readonly terminal: TuiTerminal;
  readonly commands: State["commands"];
  readonly preferences: Preferences;
  /** `auto` adapts to the background of the terminal. */
  readonly theme: ThemeName;
  readonly colorLevel: ColorSupportLevel;
  /** Whether the terminal shows only ASCII. */
  readonly isAscii: boolean;
}

type StartDrawing = Awaited<ReturnType<typeof loadDrawing>>["startDrawing"];

const TICK_MS = 1_000;

/**
 * The shortest time between frames: a server can answer faster than a frame is
 * drawn.
 */
const FRAME_MS = 30;

/**
 * Later replies are ignored: new colors would disturb a user who is already
 * reading.
 */
const ANSWER_MS = 500;

/**
 * Loads ink, a separate bundle. It reads the current folder, so load it while
 * errors can still be printed.
 */
export function loadDrawing() {
  return import("./program/draw.js");
}

/**
 * Runs the TUI until the user quits or the process has to stop.
 *
 * @throws bugs; other errors are shown on the screen
 */
export async function runTui(options: TuiOptions): Promise<void> {
  const { place, terminal, commands, preferences } = options;
  const { startDrawing } = await loadDrawing();
  const quitting = new AbortController();
  const program = new Program({
    ...options,
    quit: () => quitting.abort(),
    suspend: () => void terminal.suspend(),
    redraw: () => display.redraw(),
    start: { ...terminal.size(), place, commands, preferences },
    defer: (draw) => void setTimeout(draw, display.pause()),
  });
  const display = createDisplay(program, options, startDrawing);
  const { background, stop } = listen(program, display, terminal);
  const adapted = display.isAdapting && adaptTo(background, display, terminal);
  try {
    await Promise.race([once(quitting.signal, "abort"), terminal.untilStopped, display.ended]);
    // Otherwise the shell would take the reply as typed text.
    if (quitting.signal.aborted) await Promise.race([adapted, terminal.untilStopped]);
  } finally {
    stop();
    display.stop();
    await program.close();
  }
}

/** Joins the program to the terminal and the clock. */
function listen(program: Program, display: Display, terminal: TuiTerminal) {
  const background = new EventEmitter();
  const stopInput = listenToInput(terminal.input, {
    onKey: (key) => program.press(key),
    onMouse: (mouse) => program.mouse(mouse),
    onAnswer: (text) => background.emit("answer", text),
  });
  const ticking = setInterval(() => program.tick(), TICK_MS);
  const unsubscribe = program.subscribe(() => display.show());
  terminal.onCleared(() => display.redraw());
  terminal.output.on("resize", () => {
    program.resize(terminal.size());
    display.redraw();
  });
  const stop = () => {
    stopInput();
    unsubscribe();
    clearInterval(ticking);
  };
  return { background, stop };
}

/** Asks the terminal for its background, and adapts the colors to the reply. */
async function adaptTo(background: EventEmitter, display: Display, terminal: TuiTerminal) {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const reply = once(background, "answer", { signal });
  terminal.write(BACKGROUND_QUESTION);
  const [text] = await reply.catch(() => []);
  if (text !== undefined) display.adapt(text);
}

/** Draws the state of a program. */
function createDisplay(program: Program, options: TuiOptions, startDrawing: StartDrawing) {
  const { terminal, colorLevel, isAscii, ticks } = options;
  const theme = colorLevel === 0 ? "plain" : options.theme;
  const screen = new FrameStream(terminal);
  let colors = createTheme(theme);
  let nextAt = Number.NEGATIVE_INFINITY;
  const content = () => {
    if (!terminal.output.writableNeedDrain) program.shown();
    return { picture: frameOf(program.state, isAscii), theme: colors };
  };
  // Without colors, bold and inverse remain, since the cursor would otherwise
  // be invisible.
  const { ended, stop, ...ink } = startDrawing(content(), screen, terminal.input, colorLevel || 1);
  const show = () => {
    nextAt = ticks() + FRAME_MS;
    ink.show(content());
  };
  const redraw = () => {
    screen.clear();
    show();
  };
  const adapt = (reply: string) => {
    colors = createTheme(shadeOf(reply) ?? theme);
    show();
  };
  /** The milliseconds until the next frame may be drawn. */
  const pause = () => Math.max(0, nextAt - ticks());
  return { isAdapting: theme === "auto", ended, show, redraw, adapt, pause, stop };
}

type Display = ReturnType<typeof createDisplay>;
