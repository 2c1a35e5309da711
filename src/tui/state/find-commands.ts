import { nearest } from "../../domain/nearest.js";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";
import type { Command } from "./command.js";
import { tell } from "./notices.js";
import { withList } from "./relist.js";
import { SORTS, type State } from "./state.js";
import { type Step, step } from "./step.js";
import { textField } from "./text-field.js";

/** What narrows and orders the list. */
export const FIND_COMMANDS: readonly Command[] = [
  {
    name: "filter",
    keys: ["/"],
    label: "filter",
    help: "search names and descriptions; letters may have others between them",
    group: "Find",
    argument: "<text>",
    run: (state, text) => step(text === "" ? openFilter(state) : withFilter(state, text)),
  },
  {
    name: "type",
    keys: ["t"],
    label: "type",
    help: "show one type of variables only, then the next, then all again",
    group: "Find",
    argument: "<type>",
    run: (state, text) => chooseType(state, text),
  },
  {
    name: "sort",
    keys: ["s"],
    label: "sort",
    help: "by id, as in the source; by name; by type",
    group: "Find",
    argument: "<order>",
    run: (state, text) => chooseSort(state, text),
  },
];

/** The list filtered, and the cursor on what fits best. */
export function withFilter(state: State, filter: string): State {
  const next = withList(state, { filter });
  return { ...next, list: { ...next.list, cursor: 0, top: 0 }, recordTop: 0 };
}

function openFilter(state: State): State {
  const { filter } = state.list;
  return { ...state, focus: "variables", mode: { kind: "filter", field: textField(filter), before: filter } };
}

function chooseType(state: State, text: string): Step {
  const name = text.toUpperCase();
  if (text === "") return step(withList(state, { type: nextType(state.list.type) }));
  if (name === "ALL") return step(withList(state, { type: undefined }));
  if (isVariableType(name)) return step(withList(state, { type: name }));
  return step(tell(state, noSuch("type", text, ["all", ...VARIABLE_TYPES.map((type) => type.toLowerCase())]), "error"));
}

function nextType(type: VariableType | undefined): VariableType | undefined {
  return type ? VARIABLE_TYPES[VARIABLE_TYPES.indexOf(type) + 1] : VARIABLE_TYPES[0];
}

function chooseSort(state: State, text: string): Step {
  const next = SORTS[(SORTS.indexOf(state.list.sort) + 1) % SORTS.length];
  const sort = text === "" ? next : SORTS.find((name) => name === text);
  if (!sort) return step(tell(state, noSuch("order", text, SORTS), "error"));
  return step(withList(state, { sort }));
}

function noSuch(what: string, text: string, known: readonly string[]): string {
  const suggestion = nearest(text, [...known]);
  return `there is no ${what} "${text}": ${suggestion ? `did you mean ${suggestion}?` : `it is one of ${known.join(", ")}`}`;
}
