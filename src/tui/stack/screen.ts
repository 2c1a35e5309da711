import { actsIn, areaOf, footerLabel } from "../state/command.js";
import { blockingEffect } from "../state/effects.js";
import type { Layout, Size } from "../state/layout.js";
import {
  type Command,
  type Effect,
  type Notice,
  notify,
  STILL_READING,
  type State,
} from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, type Line, wrapWords } from "../text/line.js";
import { type Key, keyLabel, keyOfLabel } from "../widgets/key.js";
import type { Panel, PanelContent } from "./panel.js";

/**
 * A screen of the stack, as functions of its data. The places, the list and the
 * record are below the stack.
 */
export interface Screen<D> {
  readonly name: string;
  /** Handles a key. Default: runs the command of the key. */
  key?(state: State, data: D, key: Key): State;
  /**
   * The panels that fill the body, from the top. With neither `body` nor
   * `panel`, the screen is a line below the one under it.
   */
  body?(state: State, data: D, layout: Layout): readonly Panel[];
  /** A panel that replaces the list and the record. */
  panel?(state: State, data: D, size: Size): PanelContent;
  /** The last lines while the user types. */
  input?(state: State, data: D): readonly Line[] | undefined;
  /**
   * The keys that work now. The key that closes the screen is last. Default:
   * the keys of commands.
   */
  hints?(state: State, data: D): readonly KeyHint[];
  /** Keys that only the help shows. */
  more?(state: State, data: D): readonly KeyHint[];
  /** Whether characters are input, so that `?` does not open the help. */
  types?(state: State, data: D): boolean;
  /** Handlers of commands that act differently than in the list, by name. */
  readonly handlers?: Readonly<Record<string, CommandHandler<D>>>;
  /** A table of variables. Its view is part of the data. */
  readonly table?: TableOf<D>;
  /**
   * Moves outside of the table. Returns `undefined` if the table has the focus.
   */
  move?(state: State, data: D, key: string): State | undefined;
  /** The places that the screen shows or edits. Default: the open one. */
  places?(state: State, data: D): readonly number[];
  /**
   * Whether Ctrl-J adds a line. Elsewhere it is Enter, because some programs
   * send Enter as Ctrl-J.
   */
  breaksLines?(data: D): boolean;
  /** What quitting would lose, such as `, and lose your changes`. */
  lost?(data: D): string | undefined;
}

interface CommandHandler<D> {
  /** Default: the help of the command. */
  readonly help?: string;
  /** Returns why the command can't run now, or `undefined` if it can. */
  whyNot?(state: State, data: D): string | undefined;
  run(state: State, data: D): State;
}

interface TableOf<D> {
  /** Indexes of the places that are the columns. */
  places(state: State, data: D): readonly number[];
  page(state: State, data: D): number;
  /** The place whose values commands act on. */
  place(state: State, data: D): number;
}

type AnyScreen = Screen<unknown>;

/** The screen that receives keys, or `undefined` for the list. */
export function topScreen(
  state: State,
): { readonly screen: AnyScreen; readonly data: unknown } | undefined {
  return layers(state).at(-1);
}

/** The topmost screen that is more than a line. */
export function drawnScreen(state: State) {
  return layers(state).findLast(({ screen }) => !isPrompt(screen));
}

/** Whether the screen is only a line, which a click into the list closes. */
export function isPrompt({ body, panel }: AnyScreen): boolean {
  return !body && !panel;
}

export function layers({ stack }: State) {
  return stack.map(({ screen, data }) => ({ screen: screen as AnyScreen, data }));
}

export function push<D>(state: State, screen: Screen<D>, data: D): State {
  return { ...state, stack: [...state.stack, { screen, data }] };
}

export function pop(state: State, count = 1): State {
  return { ...state, stack: state.stack.slice(0, Math.max(0, state.stack.length - count)) };
}

/** The data of `screen` if it is the top one. */
export function dataOf<D>({ stack }: State, screen: Screen<D>): D | undefined {
  const layer = stack.at(-1);
  return layer?.screen === screen ? (layer.data as D) : undefined;
}

export function withData<D>(state: State, screen: Screen<D>, data: D): State {
  return push(pop(state), screen, data);
}

/** Changes the data of a screen anywhere in the stack. */
export function changeData<D>(state: State, screen: Screen<D>, change: (data: D) => D): State {
  const stack = state.stack.map((layer) => {
    return layer.screen === screen ? { screen, data: change(layer.data as D) } : layer;
  });
  return { ...state, stack };
}

/** The help key where no command opens the help. */
export function fixedHelpKey(state: State): "F1" | "?" | undefined {
  const open = topScreen(state);
  if (areaOf(state) !== undefined) return undefined;
  return open?.screen.types?.(state, open.data) ? "F1" : "?";
}

/** The label and the name of a key, and what it does. */
export interface KeyHint {
  readonly key: string;
  readonly name: string | undefined;
  readonly label: string;
}

/** Parses hints such as `Enter keep, Esc back`. */
export function hints(text: string): readonly KeyHint[] {
  return text.split(", ").map((each) => {
    const [key = "", ...label] = each.split(" ");
    return { key, name: keyOfLabel(key), label: label.join(" ") };
  });
}

/** ` y add n back `: as many hints as fit, and `last` in any case. */
export function keyLine(keys: readonly KeyHint[], width: number, last: readonly KeyHint[]): Line {
  let left = width - last.reduce((sum, hint) => sum + widthOf(hint), 0);
  const fitting = keys.filter((hint) => {
    left -= widthOf(hint);
    return left >= 0;
  });
  return [...fitting, ...last].flatMap(({ key, name, label }): Line => {
    return [
      { text: " " },
      { text: key, role: "accent", key: name },
      { text: ` ${label} `, role: "muted", key: name },
    ];
  });
}

function widthOf({ key, label }: KeyHint): number {
  return textWidth(key) + textWidth(label) + 3;
}

const TONES = {
  news: { sign: "·", role: "accent" },
  info: { sign: "·", role: "accent" },
  success: { sign: "✓", role: "success" },
  error: { sign: "✗", role: "danger" },
} as const;

/** More lines would hide too much of the panels. */
const MAX_NOTICE_LINES = 5;

/**
 * Wraps a notice rather than cutting it, because its end can be the reason for
 * a failure.
 */
export function noticeLines({ text, tone }: Notice, columns: number): Line[] {
  const { sign, role } = TONES[tone];
  const width = columns - 4;
  const wrapped = wrapWords(visibleText(text), width);
  const rest = wrapped.slice(MAX_NOTICE_LINES - 1).join(" ");
  const shown = [
    ...wrapped.slice(0, MAX_NOTICE_LINES - 1),
    ...(rest === "" ? [] : [cellText(rest, width)]),
  ];
  return shown.map((each, index) => [
    { text: index === 0 ? ` ${sign} ` : "   ", role, isBold: true },
    { text: each, role },
  ]);
}

export function isOnPlaces({ focus, stack }: State): boolean {
  return focus === "places" && stack.length === 0;
}

/** Returns why a command can't run here now, or `undefined` if it can. */
export function whyNot(state: State, command: Command): string | undefined {
  const open = topScreen(state);
  const act = open?.screen.handlers?.[command.name];
  return act ? act.whyNot?.(state, open?.data) : command.whyNot?.(state);
}

/**
 * Runs the command of a key, or shows why it can't run. Returns `undefined` for
 * other keys.
 */
export function pressCommand(state: State, key: string): State | undefined {
  const where = areaOf(state);
  const command = state.commands.find((each) => each.keys.includes(key) && actsIn(each, where));
  return command && runCommand(state, command);
}

/** Runs a command once the place is read, or shows why it can't run. */
export function runCommand(state: State, command: Command, argument = ""): State {
  const reason = whyNot(state, command);
  if (reason === STILL_READING) {
    const waiting: Effect = async ({ until }) => {
      await until((now) => whyNot(now, command) !== STILL_READING);
      return (now) => runCommand(now, command, argument);
    };
    return blockingEffect(state, waiting, { isReading: true });
  }
  if (reason !== undefined) return notify(state, reason, "error");
  const open = topScreen(state);
  const act = open?.screen.handlers?.[command.name];
  return (act ? act.run(state, open?.data) : command.run?.(state, argument)) ?? state;
}

/** The keys that the footer shows and that can run now. */
export function commandHints(state: State, commands: readonly Command[]): readonly KeyHint[] {
  return commands.flatMap((command): KeyHint[] => {
    const [key] = command.keys;
    const label = footerLabel(state, command);
    if (key === undefined || label === undefined || whyNot(state, command) !== undefined) return [];
    return [{ key: keyLabel(key), name: key, label }];
  });
}
