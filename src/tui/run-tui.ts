import { EventEmitter, once } from "node:events";
import type { ColorSupportLevel } from "chalk";
import { frameOf } from "./program/frame.js";
import { Program, type ProgramOptions } from "./program/program.js";
import type { Preferences } from "./state/preferences.js";
import type { State } from "./state/state.js";
import { FrameStream, type TuiTerminal } from "./terminal/frame-stream.js";
import { listenToInput } from "./terminal/input.js";
import {
  BACKGROUND_QUESTION,
  createTheme,
  shadeOf,
  type Theme,
  type ThemeName,
} from "./text/theme.js";

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
  const { place, terminal, commands, preferences, ticks } = options;
  const { startDrawing } = await loadDrawing();
  const quitting = new AbortController();
  const program = new Program({
    ...options,
    quit: () => quitting.abort(),
    suspend: () => void terminal.suspend(),
    redraw: () => display.redraw(),
    start: {
      ...terminal.size(),
      place,
      commands,
      preferences,
    },
    defer: (draw) => void setTimeout(draw, Math.max(0, display.nextAt - ticks())),
  });
  const display = new Display(program, options, startDrawing);
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
  terminal.onResize(() => {
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
class Display {
  readonly #program: Program;
  readonly #options: TuiOptions;
  readonly #screen: FrameStream;
  readonly #drawing: ReturnType<StartDrawing>;
  readonly #theme: ThemeName;
  #colors: Theme;
  /** The earliest time of the next frame. */
  nextAt = Number.NEGATIVE_INFINITY;

  constructor(program: Program, options: TuiOptions, startDrawing: StartDrawing) {
    const { terminal, theme, colorLevel } = options;
    this.#program = program;
    this.#options = options;
    this.#theme = colorLevel === 0 ? "plain" : theme;
    this.#colors = createTheme(this.#theme);
    this.#screen = new FrameStream(terminal);
    // Without colors, bold and inverse remain, since the cursor would otherwise
    // be invisible.
    this.#drawing = startDrawing(this.#props(), this.#screen, terminal.input, colorLevel || 1);
  }

  /** Whether the colors adapt to the background. */
  get isAdapting(): boolean {
    return this.#theme === "auto";
  }

  /** Settles when ink has stopped. */
  get ended(): Promise<unknown> {
    return this.#drawing.ended;
  }

  show(): void {
    this.nextAt = this.#options.ticks() + FRAME_MS;
    this.#drawing.show(this.#props());
  }

  redraw(): void {
    this.#screen.clear();
    this.show();
  }

  adapt(reply: string): void {
    this.#colors = createTheme(shadeOf(reply) ?? this.#theme);
    this.show();
  }

  stop(): void {
    this.#drawing.stop();
  }

  #props() {
    const { terminal, isAscii } = this.#options;
    if (!terminal.isBusy()) this.#program.shown();
    return { picture: frameOf(this.#program.state, isAscii), theme: this.#colors };
  }
}
