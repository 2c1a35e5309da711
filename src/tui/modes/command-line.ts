import { suggestion } from "../../domain/nearest.js";
import type { Command } from "../state/command.js";
import { editKeyName, type Key } from "../state/key.js";
import { backToBrowse, type Mode, type State, type Step, step } from "../state/state.js";
import { editLine, type TextField, textField } from "../state/text-field.js";

type CommandMode = Extract<Mode, { readonly kind: "command" }>;

/** @param text what is typed already */
export function openCommandLine(state: State, text = ""): Step {
  return step(withLine(state, { field: textField(text) }));
}

export function commandKey(state: State, { field }: CommandMode, key: Key, commands: readonly Command[]): Step {
  switch (editKeyName(key)) {
    case "escape":
      return step(backToBrowse(state));
    case "enter":
      return run(state, field, commands);
    case "tab":
      return step(withLine(state, completeCommand(state, field.text, commands)));
    default: {
      const edited = editLine(field, key);
      return step(edited === field ? state : withLine(state, { field: edited }));
    }
  }
}

function withLine(state: State, line: Omit<CommandMode, "kind">): State {
  return { ...state, mode: { kind: "command", ...line } };
}

function run(state: State, field: TextField, commands: readonly Command[]): Step {
  // `open staging` is a word and its argument.
  const [, word = "", argument = ""] = /^(\S*)\s*(.*)$/su.exec(field.text.trim()) ?? [];
  if (word === "") return step(backToBrowse(state));
  const command = find(word, commands);
  const names = commands.map(({ name }) => name);
  const problem = command ? disabledReason(state, command, argument) : `unknown command${suggestion(word, names)}`;
  if (!command || problem !== undefined) return step(withLine(state, { field, problem }));
  return command.run(backToBrowse(state), argument);
}

/** A command by its name, or by a key of one character: `:q`. */
function find(word: string, commands: readonly Command[]): Command | undefined {
  const byKey = () => commands.find(({ keys }) => word.length === 1 && keys.includes(word));
  return commands.find(({ name }) => name === word) ?? byKey();
}

function disabledReason(state: State, command: Command, argument: string): string | undefined {
  // `:delete NAME` would delete the variable under the cursor, which can be another one.
  if (argument !== "" && command.argument === undefined) return `"${command.name}" accepts no argument`;
  return command.disabledReason?.(state);
}

type Completion = Pick<CommandMode, "field" | "choices">;

/** Completes the command name or its argument as far as it is unique; otherwise returns the choices. */
function completeCommand(state: State, text: string, commands: readonly Command[]): Completion {
  const [, word = "", space = "", typed = ""] = /^\s*(\S*)(\s*)(.*)$/su.exec(text) ?? [];
  if (space === "") {
    const names = commands.map(({ name, argument }) => (argument === undefined ? name : `${name} `));
    return complete("", word, names);
  }
  const command = commands.find(({ name }) => name === word);
  return complete(`${word} `, typed, command?.choices?.(state) ?? []);
}

const MAX_CHOICES = 8;

/** @param before the text before `typed` */
function complete(before: string, typed: string, candidates: readonly string[]): Completion {
  const fitting = [...new Set(candidates)].filter((candidate) => hasPrefix(candidate, typed));
  const [first = typed, ...others] = fitting;
  const full = others.reduce(commonPrefix, first);
  if (others.length === 0 || full.length > typed.length) return { field: textField(before + full) };
  const choices = fitting.slice(0, MAX_CHOICES).map((choice) => choice.trimEnd());
  const more = fitting.length > MAX_CHOICES ? " and more" : "";
  return { field: textField(before + typed), choices: `${choices.join(", ")}${more}` };
}

function hasPrefix(text: string, prefix: string): boolean {
  return text.toLowerCase().startsWith(prefix.toLowerCase());
}

function commonPrefix(a: string, b: string): string {
  let prefix = "";
  for (const character of a) {
    if (!hasPrefix(b, prefix + character)) break;
    prefix += character;
  }
  return prefix;
}
