import { suggestion } from "../../domain/nearest.js";
import { type Choice, COMMAND_GROUPS, type Command, isOfList } from "../state/command.js";
import type { State, Step, Work } from "../state/state.js";
import { andThen, step } from "../state/work.js";
import { highlight, LETTERS, letterDistance, matchRank, NO_MATCH, searchWords } from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitLine, fitText, type Line, line, lineWidth } from "../text/line.js";
import { GAP, type Panel, rowLines, selectRow } from "../view/panel.js";
import { changeData, dataOf, hints, keyLine, noticeLines, pop, push, type Screen, withData } from "../view/screen.js";
import { editKeyName, type Key, keyLabel } from "../widgets/key.js";
import { keepVisible } from "../widgets/list.js";
import { editLine, type TextField, textField, textInput } from "../widgets/text-field.js";

/** Typing a command. */
interface CommandLine {
  readonly field: TextField;
  /** The text that the candidates match: as it was typed, while Tab puts one after the other into the field. */
  readonly query: string;
  /** Index of the candidate that the person has chosen. */
  readonly chosen?: number | undefined;
  /** The last folder that was listed for an argument that is a file. */
  readonly listing?: Listing | undefined;
  readonly problem?: string | undefined;
}

interface Listing {
  /** As it was typed, up to the last slash; `""` for the current folder. */
  readonly folder: string;
  /** With a slash after those of folders. */
  readonly names: readonly string[];
}

export const COMMAND_LINE: Screen<CommandLine> = {
  name: "command line",
  key: (state, line, key, all) => {
    const commands = all.filter(isOfList);
    return andThen(pressed(state, line, key, commands), (next) => listedFor(next, line, commands));
  },
  overlay: (state, line, commands) => candidatesPanel(state, line, commands.filter(isOfList)),
  input: ({ columns }, line) => inputLines(line, columns),
  isInList: true,
};

/** Something that can stand in the command line: a command, or an argument of one. */
interface Candidate extends Choice {
  /** The shown text: `open <place>`. */
  readonly label: string;
  /** Set for a command. */
  readonly command?: Command;
}

interface Candidates {
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
function highlighted({ query, listing }: CommandLine, chosen: number | undefined): CommandLine {
  return { field: textField(query), query, listing, chosen };
}

// Computed once for each state: drawing it and the next key need the same.
const known = new WeakMap<State, Candidates>();

/** Candidates for the command line, given the input. */
function candidatesOf(state: State, line: CommandLine, commands: readonly Command[]): Candidates {
  if (dataOf(state, COMMAND_LINE) !== line) return findCandidates(state, line, commands);
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
function parseLine(text: string, commands: readonly Command[]): ParsedLine {
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
function findCommand(word: string, commands: readonly Command[]): Command | undefined {
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
function candidatesPanel(state: State, line: CommandLine, commands: readonly Command[]): Panel | undefined {
  const { command, fitting, selected, typed } = candidatesOf(state, line, commands);
  if (fitting.length === 0) return undefined;
  const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(state.rows / 3)));
  const page = Math.min(fitting.length, rows);
  const size = { width: state.columns, height: page + 2 };
  const cursor = selected ?? -1;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  const words = searchWords(typed).map((word) => `~${word}`);
  const room = Math.min(LABEL, Math.floor(size.width / 3));
  const content = {
    title: command ? `${command.name} ${command.argument ?? ""}`.trimEnd() : "Commands",
    footnote: fitting.length > page ? positionOf(selected, fitting.length) : undefined,
    isFocused: false,
    select: selectRow(position, fitting.length, 0, (now, index) =>
      withData(now, COMMAND_LINE, highlighted(line, index)),
    ),
    scroll: (now: State, by: number) => {
      const index = keepVisible({ cursor: cursor + by, top: 0 }, fitting.length, 1).cursor;
      return withData(now, COMMAND_LINE, highlighted(line, index));
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

/** @param text the input so far */
export function openCommandLine(state: State, text = ""): Step {
  return step(push(state, COMMAND_LINE, typedLine(textField(text))));
}

/** Lists the folder that is typed, if it is not known. */
function listedFor(next: State, { listing }: CommandLine, commands: readonly Command[]): Step {
  const line = dataOf(next, COMMAND_LINE);
  if (!line) return step(next);
  const { command, typed } = parseLine(line.query, commands);
  const path = typed.replace(/^"/, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const isKnown = command?.accepts !== "path" || folder === listing?.folder;
  const list: Work = async ({ listFolder }) => {
    const names = await listFolder(folder);
    return (now) => step(changeData(now, COMMAND_LINE, (open) => ({ ...open, listing: { folder, names } })));
  };
  return step(withLine(next, { ...line, listing }), ...(isKnown ? [] : [list]));
}

function pressed(state: State, line: CommandLine, key: Key, commands: readonly Command[]): Step {
  const { field } = line;
  const name = editKeyName(key);
  const candidates = candidatesOf(state, line, commands);
  switch (name) {
    case "escape":
      return step(pop(state));
    case "enter":
      return enter(state, line, candidates, commands);
    case "tab":
      return step(withLine(state, completed(line, candidates, 1)));
    case "shift-tab":
      return step(withLine(state, completed(line, candidates, -1)));
    case "up":
    case "down":
      return step(withLine(state, highlighted(line, moved(candidates, name === "up" ? -1 : 1))));
    case "backspace":
      if (field.text === "") return step(pop(state));
  }
  const edited = editLine(field, key);
  return step(edited === field ? state : withLine(state, typedLine(edited)));
}

function withLine(state: State, line: CommandLine): State {
  return withData(state, COMMAND_LINE, line);
}

/** The line after its text was edited. */
function typedLine(field: TextField): CommandLine {
  return { field, query: field.text };
}

/** The next candidate, from the end to the start again. */
function moved({ fitting, selected }: Candidates, by: 1 | -1): number | undefined {
  const { length } = fitting;
  if (length === 0) return undefined;
  return selected === undefined ? (by > 0 ? 0 : length - 1) : (selected + by + length) % length;
}

/** Puts the selected candidate into the field, or the next one if it is there already. */
function completed(line: CommandLine, candidates: Candidates, by: 1 | -1): CommandLine {
  const { before, fitting, selected } = candidates;
  const textOf = (index: number | undefined) => {
    const candidate = index === undefined ? undefined : fitting[index];
    return candidate && before + candidate.text;
  };
  const isThere = textOf(selected) === line.field.text;
  const chosen = selected === undefined || isThere || by < 0 ? moved(candidates, by) : selected;
  const text = textOf(chosen);
  if (text === undefined) return line;
  // An argument or the content of a folder follows: its candidates are next.
  const isNext = fitting.length === 1 || /[ /]$/.test(text);
  return isNext ? typedLine(textField(text)) : { ...line, field: textField(text), chosen, problem: undefined };
}

/** Runs the highlighted command, or else the typed one. */
function enter(state: State, line: CommandLine, candidates: Candidates, commands: readonly Command[]): Step {
  const { before, fitting, selected } = candidates;
  const candidate = selected === undefined ? undefined : fitting[selected];
  return run(state, line, candidate ? before + candidate.text : line.field.text, commands);
}

function run(state: State, line: CommandLine, text: string, commands: readonly Command[]): Step {
  const { command: named, typed } = parseLine(text, commands);
  const [command, argument] = named ? [named, typed] : [findCommand(typed, commands), ""];
  if (typed === "" && !command) return step(pop(state));
  const problem = command ? disabledReason(state, command, argument) : unknown(typed, commands);
  if (!command || problem !== undefined) return step(withLine(state, { ...line, problem }));
  if (argument === "" && command.needsArgument) return step(withLine(state, typedLine(textField(`${command.name} `))));
  // Commands act on the list, even if the line was opened elsewhere.
  return command.run({ ...state, stack: [] }, argument);
}

function unknown(typed: string, commands: readonly Command[]): string {
  const [word = ""] = typed.split(/\s/, 1);
  const names = commands.map(({ name }) => name);
  return `unknown command${suggestion(word, names)}`;
}

function disabledReason(state: State, command: Command, argument: string): string | undefined {
  // `:delete NAME` would delete the variable under the cursor, which can be another one.
  if (argument !== "" && command.argument === undefined) return `"${command.name}" takes no argument`;
  return command.disabledReason?.(state);
}

const LINE_KEYS = hints("Enter run, ↑↓ choose, Tab complete");
const LEAVE = hints("Esc back");

/** Columns besides the texts of the input and a problem: the colon, the cursor, the sign and spaces. */
const PROBLEM_WIDTH = 8;

/** A problem that doesn't fit beside the input is above it. */
function inputLines(line: CommandLine, columns: number): readonly Line[] {
  const { field, problem = "" } = line;
  const needed = textWidth(visibleText(field.text)) + textWidth(visibleText(problem)) + PROBLEM_WIDTH;
  if (problem === "" || needed <= columns) return [inputLine(line, columns)];
  return [
    ...noticeLines({ text: problem, tone: "error" }, columns),
    inputLine({ ...line, problem: undefined }, columns),
  ];
}

function inputLine({ field, problem }: CommandLine, columns: number): Line {
  const room = columns - 2;
  const needed = Math.min(room, textWidth(visibleText(field.text)) + 1);
  const hint =
    problem === undefined ? keyLine(LINE_KEYS, room - needed, LEAVE) : line(`  ✗ ${visibleText(problem)} `, "danger");
  const width = Math.max(needed, room - lineWidth(hint));
  return [{ text: " :", role: "accent" }, ...textInput(field, width), ...fitLine(hint, room - width)];
}
