import { type Choice, COMMAND_GROUPS, type Command } from "../state/command.js";
import type { Size } from "../state/layout.js";
import type { CommandLine } from "../state/modes.js";
import type { State } from "../state/state.js";
import { highlight, LETTERS, letterDistance, matchRank, NO_MATCH, searchWords } from "../text/fuzzy.js";
import { cellText, countText, fitText, type Line } from "../text/line.js";
import { GAP, type PanelContent, rowLines, selectRow } from "../view/panel.js";
import { keyLabel } from "../widgets/key.js";
import { keepVisible } from "../widgets/list.js";
import { textField } from "../widgets/text-field.js";

/** Something that can stand in the command line: a command, or an argument of one. */
interface Candidate extends Choice {
  /** The shown text: `open <place>`. */
  readonly label: string;
  /** Set for a command. */
  readonly command?: Command;
}

export interface Candidates {
  /** The command whose argument they are; undefined if they are commands. */
  readonly command: Command | undefined;
  /** The text before them: `open `. */
  readonly before: string;
  /** The input that they match. */
  readonly typed: string;
  /** The best first. */
  readonly fitting: readonly Candidate[];
  /** Index of the one that Enter runs and Tab completes to; undefined if that is the text as it is. */
  readonly selected: number | undefined;
}

/** Chooses a candidate, and takes back the completion of Tab. */
export function highlighted({ kind, query, listing }: CommandLine, chosen: number | undefined): CommandLine {
  return { kind, field: textField(query), query, listing, chosen };
}

// Computed once for each state: drawing it and the next key need the same.
const known = new WeakMap<State, Candidates>();

/** Candidates for the command line, given the input. */
export function candidatesOf(state: State, line: CommandLine, commands: readonly Command[]): Candidates {
  if (state.mode !== line) return findCandidates(state, line, commands);
  const candidates = known.get(state) ?? findCandidates(state, line, commands);
  known.set(state, candidates);
  return candidates;
}

function findCandidates(state: State, line: CommandLine, commands: readonly Command[]): Candidates {
  const { command, before, typed } = parseLine(line.query, commands);
  const all = command ? choicesOf(command, state, typed) : commandCandidates(commands);
  const fitting = ranked(all, typed);
  // Where other texts are accepted too, no candidate replaces the input.
  const isBest = typed !== "" && command?.accepts === undefined;
  const selected = line.chosen ?? (isBest ? 0 : undefined);
  return { command, before, typed, fitting, selected: fitting.length > 0 ? selected : undefined };
}

interface ParsedLine {
  /** The command that the text names, with a space after it; undefined while the name is typed. */
  readonly command: Command | undefined;
  /** The text before `typed`. */
  readonly before: string;
  /** The argument, or the start of a name; without spaces around it. */
  readonly typed: string;
}

/** A command's name can have several words: `env add`. */
export function parseLine(text: string, commands: readonly Command[]): ParsedLine {
  const line = text.trimStart();
  const named = commands.filter(({ name }) => line.startsWith(`${name} `));
  const longest = named.reduce<Command | undefined>(
    (best, each) => (best && best.name.length > each.name.length ? best : each),
    undefined,
  );
  const command = longest ?? (/^\S\s/u.test(line) ? commandOfKey(line.charAt(0), commands) : undefined);
  if (!command) return { command, before: "", typed: line.trimEnd() };
  const word = longest ? command.name : line.charAt(0);
  return { command, before: `${word} `, typed: line.slice(word.length).trim() };
}

/** A command by its name, or by a key of one character: `:q`. */
export function findCommand(word: string, commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name === word) ?? commandOfKey(word, commands);
}

function commandOfKey(key: string, commands: readonly Command[]): Command | undefined {
  return key.length === 1 ? commands.find(({ keys }) => keys.includes(key)) : undefined;
}

/** In the order of the help. */
function commandCandidates(commands: readonly Command[]): readonly Candidate[] {
  return COMMAND_GROUPS.flatMap((group) => commands.filter((command) => command.group === group)).map((command) => {
    const { name, argument, help } = command;
    const [text, label] = argument === undefined ? [name, name] : [`${name} `, `${name} ${argument}`];
    return { text, label, help, command };
  });
}

function choicesOf({ choices }: Command, state: State, typed: string): readonly Candidate[] {
  const all = choices?.(state, typed) ?? [];
  const byText = new Map(
    all.map((each) => (typeof each === "string" ? { text: each } : each)).map((each) => [each.text, each]),
  );
  return Array.from(byText.values(), (choice) => ({ ...choice, label: choice.text }));
}

/** Better than any rank of a match: the text itself, or the key of a command. */
const EXACT = -1;

/** The candidates that match, those that match best first. */
function ranked(all: readonly Candidate[], typed: string): readonly Candidate[] {
  const words = searchWords(typed);
  if (words.length === 0) return all;
  const distance = (candidate: Candidate) => distanceOf(candidate, words);
  return all
    .map((candidate) => ({ candidate, rank: rankOf(candidate, typed, words) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank || (a.rank === LETTERS ? distance(a.candidate) - distance(b.candidate) : 0))
    .map(({ candidate }) => candidate);
}

function rankOf({ text, command }: Candidate, typed: string, words: readonly string[]): number {
  const name = command?.name ?? text;
  if (name === typed || (typed.length === 1 && command?.keys.includes(typed))) return EXACT;
  const lowered = name.toLowerCase();
  return words.reduce((worst, word) => Math.max(worst, matchRank(word, lowered)), 0);
}

/** Of those with letters in between, the one whose letters are closest is meant. */
function distanceOf({ text, command }: Candidate, words: readonly string[]): number {
  const lowered = (command?.name ?? text).toLowerCase();
  return words.reduce((sum, word) => sum + letterDistance(word, lowered), 0);
}

const MIN_ROWS = 4;
const MAX_ROWS = 12;
/** Columns of a candidate, and of its key. */
const LABEL = 32;
const KEY = 6;

/** The list above the command line; undefined if nothing fits the input. Only visible rows are formatted. */
export function candidatesPanel(
  state: State,
  mode: CommandLine,
  commands: readonly Command[],
): { readonly size: Size; readonly content: PanelContent } | undefined {
  const { command, fitting, selected, typed } = candidatesOf(state, mode, commands);
  if (fitting.length === 0) return undefined;
  const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(state.rows / 3)));
  const page = Math.min(fitting.length, rows);
  const size = { width: state.columns, height: page + 2 };
  const cursor = selected ?? -1;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  const words = searchWords(typed);
  const room = Math.min(LABEL, Math.floor(size.width / 3));
  const content = {
    title: command ? `${command.name} ${command.argument ?? ""}`.trimEnd() : "Commands",
    footnote: fitting.length > page ? positionOf(selected, fitting.length) : undefined,
    isFocused: false,
    select: selectRow(position, fitting.length, 0, (now, index) => ({ ...now, mode: highlighted(mode, index) })),
    scroll: (now: State, by: number) => {
      const index = keepVisible({ cursor: cursor + by, top: 0 }, fitting.length, 1).cursor;
      return { ...now, mode: highlighted(mode, index) };
    },
    lines: rowLines(fitting, position, page, true, (each) => cells(state, each, words, room, size.width - 4)),
  };
  return { size, content };
}

function keyOf({ command }: Candidate): string {
  return keyLabel(command?.keys[0] ?? "");
}

function positionOf(selected: number | undefined, count: number): string {
  return selected === undefined ? countText(count) : `${countText(selected + 1)}/${countText(count)}`;
}

/** `open <place>  opens the place under the cursor  Enter`; in place of the help why a command can't run now. */
function cells(state: State, candidate: Candidate, words: readonly string[], room: number, width: number): Line {
  const { label, help = "", command } = candidate;
  const reason = command?.disabledReason?.(state);
  const rest = Math.max(0, width - room - KEY - 5);
  return [
    { text: " " },
    ...highlight(words, label, room, { role: reason === undefined ? "text" : "muted" }),
    { text: GAP },
    { text: cellText(reason === undefined ? help : `✗ ${reason}`, rest), role: "muted" },
    { text: GAP },
    { text: fitText(keyOf(candidate), KEY), role: "accent" },
  ];
}
