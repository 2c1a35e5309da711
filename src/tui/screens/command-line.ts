import { suggestion } from "../../domain/nearest.js";
import { withoutOthers } from "../reading/others.js";
import type { Command } from "../state/command.js";
import { type Step, step } from "../state/messages.js";
import type { CommandLine, Listing } from "../state/modes.js";
import { backToBrowse, type State } from "../state/state.js";
import { editKeyName, type Key } from "../widgets/key.js";
import { editLine, type TextField, textField } from "../widgets/text-field.js";
import { type Candidates, candidatesOf, findCommand, highlighted, parseLine } from "./candidates.js";

/** @param text the input so far */
export function openCommandLine(state: State, text = ""): Step {
  const { mode } = state;
  return step({ ...state, mode: { ...typedLine(textField(text)), back: mode.kind === "browse" ? undefined : mode } });
}

/** Handles the names in a folder. */
export function listed(state: State, { folder, names }: Listing): State {
  const { mode } = state;
  return mode.kind === "command" ? { ...state, mode: { ...mode, listing: { folder, names } } } : state;
}

export function commandKey(state: State, line: CommandLine, key: Key, commands: readonly Command[]): Step {
  const [next, effects] = pressed(state, line, key, commands);
  const { mode } = next;
  if (mode.kind !== "command") return [next, effects];
  const { listing, back } = line;
  const { command, typed } = parseLine(mode.query, commands);
  const path = typed.replace(/^"/, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const isKnown = command?.accepts !== "path" || folder === listing?.folder;
  return step(
    { ...next, mode: { ...mode, listing, back } },
    ...effects,
    ...(isKnown ? [] : [{ type: "listFolder", folder } as const]),
  );
}

function pressed(state: State, line: CommandLine, key: Key, commands: readonly Command[]): Step {
  const { field } = line;
  const name = editKeyName(key);
  const candidates = candidatesOf(state, line, commands);
  switch (name) {
    case "escape":
      return step(left(state, line));
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
      if (field.text === "") return step(left(state, line));
  }
  const edited = editLine(field, key);
  return step(edited === field ? state : withLine(state, typedLine(edited)));
}

/** Closes the line without a command. */
function left(state: State, { back }: CommandLine): State {
  return back ? { ...state, mode: back } : backToBrowse(state);
}

function withLine(state: State, mode: CommandLine): State {
  return { ...state, mode };
}

/** The line after its text was edited. */
function typedLine(field: TextField): CommandLine {
  return { kind: "command", field, query: field.text };
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
  if (typed === "" && !command) return step(left(state, line));
  const problem = command ? disabledReason(state, command, argument) : unknown(typed, commands);
  if (!command || problem !== undefined) return step(withLine(state, { ...line, problem }));
  if (argument === "" && command.needsArgument) return step(withLine(state, typedLine(textField(`${command.name} `))));
  // Commands act on the list, even if the line was opened elsewhere.
  return command.run(withoutOthers(backToBrowse(state)), argument);
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
