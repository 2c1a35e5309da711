import { isReservedName } from "../../domain/reserved-names.js";
import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted } from "../../domain/variable.js";
import { layoutOf, pageSize, type Size, textColumns } from "../state/layout.js";
import { selectedEntry } from "../state/list.js";
import { shownValue } from "../state/reveal.js";
import type { Revealed, State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { type Line, labelled, line, wrapLine, wrapLines } from "../text/line.js";
import { type PanelContent, scrolledContent } from "./panel-content.js";
import { problemLines } from "./status-lines.js";
import { placeholder, valueLines } from "./value-lines.js";

/** Warns people who copy the value to a shell by hand. */
export const RESERVED_WARNING = "reserved: run and export leave it out";

/** In panels of at least this many lines, the facts about a variable are shown as a table. */
const TALL = 14;

/** Columns of a panel's text that its title doesn't have: spaces around it, and the mark of the focus. */
const AROUND_TITLE = 4;

const CHANGES = { added: "+ new", changed: "~ changed" } as const;

export function recordPanel(state: State, size: Size): PanelContent {
  const content = {
    title: visibleText(selectedEntry(state)?.variable.name ?? "Variable"),
    isFocused: state.focus === "record",
    lines: recordLines(state, textColumns(size)),
  };
  return scrolledContent(content, state.recordTop, size.height - 2);
}

export function recordLineCount(state: State): number {
  const { record } = layoutOf(state);
  return record ? recordLines(state, textColumns(record)).length : 0;
}

/**
 * The record under the cursor in lines of at most `width` columns; none if the list is empty. The name, which is the
 * panel's title, is repeated only if the title cuts it. A problem of the place is here in full, as the list has one line
 * for it.
 */
export function recordLines(state: State, width: number): readonly Line[] {
  const entry = selectedEntry(state);
  if (!entry) return [];
  const isTall = pageSize(state, "record") >= TALL;
  const problem = problemLines(state, width);
  const lines = isTall ? tallLines(entry, state, width) : shortLines(entry, state, width);
  if (problem.length === 0) return lines;
  // In a short panel it would hide the value.
  return isTall ? [...problem, [], ...lines] : [...lines, [], ...problem];
}

function tallLines(entry: VariableEntry, state: State, width: number): Line[] {
  const { variable, value } = entry;
  const mark = state.marks?.kinds.get(variable.name);
  const fields: [string, Line][] = [
    ["type", line(visibleText(variable.type))],
    ["variable id", line(String(variable.id))],
    ["value id", value ? line(String(value.id)) : line("none", "muted")],
    ["encrypted", line(hasEncryptedValue(entry) ? "yes, by a client" : "no")],
  ];
  if (mark) fields.push(["change", line(CHANGES[mark], "warning")]);
  if (isReservedName(variable.name)) fields.push(["name", line(RESERVED_WARNING, "warning")]);
  const head = [...nameLines(entry, width), ...wrappedDescription(entry, width)];
  return [
    ...(head.length > 0 ? [...head, []] : []),
    ...fields.flatMap(([label, text]) => wrapLine(labelled(label, text), width)),
    [],
    ...wrappedValue(entry, state, width),
  ];
}

function shortLines(entry: VariableEntry, state: State, width: number): Line[] {
  const { variable, value } = entry;
  const mark = state.marks?.kinds.get(variable.name);
  const facts = [variable.type, `id ${variable.id}`, value ? `value id ${value.id}` : "no value id"];
  facts.push(hasEncryptedValue(entry) ? "encrypted" : "not encrypted");
  if (mark) facts.push(CHANGES[mark]);
  if (isReservedName(variable.name)) facts.push(RESERVED_WARNING);
  const head = [...nameLines(entry, width), ...wrapLines(facts.join(" · "), width, "muted")];
  const description = wrappedDescription(entry, width);
  const lines = wrappedValue(entry, state, width);
  // A long description would hide the value.
  return description.length > 1 ? [...head, ...lines, ...description] : [...head, ...description, ...lines];
}

function nameLines({ variable }: VariableEntry, width: number): Line[] {
  const name = visibleText(variable.name);
  return textWidth(name) + AROUND_TITLE <= width ? [] : wrapLine(line(name, "accent"), width);
}

function wrappedDescription({ variable }: VariableEntry, width: number): Line[] {
  return variable.description === "" ? [] : wrapLines(variable.description, width, "text");
}

function hasEncryptedValue({ value }: VariableEntry): boolean {
  return isEncrypted(value?.content.value);
}

interface Wrapped {
  readonly entry: VariableEntry;
  readonly text: string;
  readonly width: number;
  readonly lines: readonly Line[];
}

/** The last wrapped value: a long one takes time. Kept only while values are revealed, as nothing else holds the key. */
const lastWrapped = new WeakMap<Revealed, Wrapped>();

function wrappedValue(entry: VariableEntry, state: State, width: number): readonly Line[] {
  const shown = shownValue(entry, state);
  if (shown.kind !== "shown") {
    const { text, role } = placeholder(shown.kind);
    return wrapLine(line(text, role), width);
  }
  const { revealed } = state;
  const { text } = shown;
  const last = revealed && lastWrapped.get(revealed);
  if (last && last.entry === entry && last.text === text && last.width === width) return last.lines;
  const lines = valueLines(text, entry.variable.type).flatMap((each) => wrapLine(each, width));
  if (revealed) lastWrapped.set(revealed, { entry, text, width, lines });
  return lines;
}
