import { nearest } from "../../domain/nearest.js";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";
import { openFilter } from "../modes/filter.js";
import { type Command, command } from "../state/command.js";
import { withFilter, withList } from "../state/list.js";
import { notify, SORTS, type State, type Step, step } from "../state/state.js";

const TYPE_NAMES: readonly string[] = ["all", ...VARIABLE_TYPES.map((type) => type.toLowerCase())];

export const FIND_COMMANDS: readonly Command[] = [
  command("Find", "filter", "/", "search names and descriptions; other letters can be in between", {
    label: "filter",
    argument: "<text>",
    run: (state, text) => (text === "" ? openFilter(state) : step(withFilter(state, text))),
  }),
  command("Find", "type", "t", "show only one type of variable, then the next, then all again", {
    label: "type",
    argument: "<type>",
    choices: () => TYPE_NAMES,
    run: chooseType,
  }),
  command("Find", "sort", "s", "sort by id (the order of the source), by name or by type", {
    label: "sort",
    argument: "<order>",
    choices: () => SORTS,
    run: chooseSort,
  }),
];

function chooseType(state: State, text: string): Step {
  const name = text.toUpperCase();
  if (text === "") return step(withList(state, { type: nextType(state.list.type) }));
  if (name === "ALL") return step(withList(state, { type: undefined }));
  if (isVariableType(name)) return step(withList(state, { type: name }));
  return step(notify(state, noSuch("type", text, TYPE_NAMES), "error"));
}

function nextType(type: VariableType | undefined): VariableType | undefined {
  return type ? VARIABLE_TYPES[VARIABLE_TYPES.indexOf(type) + 1] : VARIABLE_TYPES[0];
}

function chooseSort(state: State, text: string): Step {
  const next = SORTS[(SORTS.indexOf(state.list.sort) + 1) % SORTS.length];
  const sort = text === "" ? next : SORTS.find((name) => name === text);
  if (!sort) return step(notify(state, noSuch("order", text, SORTS), "error"));
  return step(withList(state, { sort }));
}

function noSuch(what: string, text: string, known: readonly string[]): string {
  const suggestion = nearest(text, [...known]);
  return `there is no ${what} "${text}": ${suggestion ? `did you mean ${suggestion}?` : `use one of ${known.join(", ")}`}`;
}
