import { suggestion } from "../../domain/nearest.js";
import { backToBrowse } from "./back-to-browse.js";
import type { Command } from "./command.js";
import { completeCommand } from "./complete-command.js";
import type { Key } from "./message.js";
import type { Mode, State } from "./state.js";
import { type Step, step } from "./step.js";
import { editLine, textField } from "./text-field.js";
import { editKeyName } from "./typed.js";

type CommandLine = Extract<Mode, { readonly kind: "command" }>;

export function openCommandLine(state: State): Step {
  return step({ ...state, mode: { kind: "command", field: textField(""), problem: undefined } });
}

export function commandKey(state: State, line: CommandLine, key: Key, commands: readonly Command[]): Step {
  switch (editKeyName(key)) {
    case "escape":
      return step(backToBrowse(state));
    case "enter":
      return run(state, line, commands);
    case "tab":
      return step({
        ...state,
        mode: { kind: "command", problem: undefined, ...completeCommand(state, line.field.text, commands) },
      });
    default: {
      const field = editLine(line.field, key);
      return step(field === line.field ? state : { ...state, mode: { kind: "command", field, problem: undefined } });
    }
  }
}

function run(state: State, line: CommandLine, commands: readonly Command[]): Step {
  const { word, argument } = parseLine(line.field.text);
  if (word === "") return step(backToBrowse(state));
  const command = find(word, commands);
  const problem = command ? whyNot(state, command, argument) : unknown(word, commands);
  if (!command || problem !== undefined)
    return step({ ...state, mode: { kind: "command", field: line.field, problem } });
  return command.run(backToBrowse(state), argument);
}

/** `open staging` is a word and its argument. */
function parseLine(text: string): { word: string; argument: string } {
  const [, word = "", argument = ""] = /^(\S*)\s*(.*)$/su.exec(text.trim()) ?? [];
  return { word, argument };
}

/** A command by its name, or by its key where that is one character: `:q`. */
function find(word: string, commands: readonly Command[]): Command | undefined {
  const byKey = () => commands.find(({ keys }) => word.length === 1 && keys.includes(word));
  return commands.find(({ name }) => name === word) ?? byKey();
}

function whyNot(state: State, command: Command, argument: string): string | undefined {
  // `:delete NAME` would delete what the cursor is on, which may be another.
  if (argument !== "" && command.argument === undefined) return `nothing can follow "${command.name}"`;
  return command.whyNot?.(state);
}

function unknown(word: string, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  return `there is no such command${suggestion(word, names)}`;
}
