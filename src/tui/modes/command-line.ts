import { suggestion } from "../../domain/nearest.js";
import type { Command } from "../state/command.js";
import { editKeyName, type Key } from "../state/key.js";
import { backToBrowse, type Mode, type State, type Step, step } from "../state/state.js";
import { editLine, type TextField, textField } from "../state/text-field.js";

type CommandMode = Extract<Mode, { readonly kind: "command" }>;

export function openCommandLine(state: State): Step {
  return step(withLine(state, { field: textField(""), problem: undefined }));
}

export function commandKey(state: State, { field }: CommandMode, key: Key, commands: readonly Command[]): Step {
  switch (editKeyName(key)) {
    case "escape":
      return step(backToBrowse(state));
    case "enter":
      return run(state, field, commands);
    case "tab":
      return step(withLine(state, { problem: undefined, ...completeCommand(state, field.text, commands) }));
    default: {
      const edited = editLine(field, key);
      return step(edited === field ? state : withLine(state, { field: edited, problem: undefined }));
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
  const problem = command ? disabledReason(state, command, argument) : unknown(word, commands);
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

function unknown(word: string, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  return `unknown command${suggestion(word, names)}`;
}

/** Completes the command name or its argument as far as it is unique; otherwise returns the choices. */
function completeCommand(
  state: State,
  text: string,
  commands: readonly Command[],
): Pick<CommandMode, "field" | "choices"> {
  const [, word = "", space = "", typed = ""] = /^\s*(\S*)(\s*)(.*)$/su.exec(text) ?? [];
  const command = commands.find(({ name }) => name === word);
  if (space !== "") {
    const { full, choices } = complete(typed, command?.choices?.(state) ?? []);
    return { field: textField(`${word} ${full}`), choices };
  }
  const names = commands.map(({ name }) => name);
  const { full, choices, isOnly } = complete(word, names);
  const hasArgument = isOnly && commands.some(({ name, argument }) => name === full && argument !== undefined);
  return { field: textField(hasArgument ? `${full} ` : full), choices };
}

const MAX_CHOICES = 8;

function complete(typed: string, candidates: readonly string[]): { full: string; choices?: string; isOnly: boolean } {
  const fitting = [...new Set(candidates)].filter((candidate) => hasPrefix(candidate, typed));
  const [first, ...others] = fitting;
  if (first === undefined) return { full: typed, isOnly: false };
  if (others.length === 0) return { full: first, isOnly: true };
  const full = others.reduce(commonPrefix, first);
  if (full.length > typed.length) return { full, isOnly: false };
  const more = fitting.length > MAX_CHOICES ? " and more" : "";
  return { full: typed, choices: `${fitting.slice(0, MAX_CHOICES).join(", ")}${more}`, isOnly: false };
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
