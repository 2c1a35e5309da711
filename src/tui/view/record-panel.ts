import { isReservedName } from "../../domain/reserved-names.js";
import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted } from "../../domain/variable.js";
import { layoutOf, pageSize, type Size, textColumns } from "../state/layout.js";
import { selectedEntry } from "../state/list.js";
import { shownValue } from "../state/reveal.js";
import type { Revealed, State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { type Line, labelled, line, wrapLine, wrapLines } from "../text/line.js";
import type { Role } from "../text/theme.js";
import { type PanelContent, scrolledContent } from "./panel-content.js";
import { problemLines } from "./status-lines.js";
import { PLACEHOLDERS, valueLines } from "./value-lines.js";

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
  const head = [...nameLines(entry, width), ...wrappedDescription(entry, width)];
  const table = facts(entry, state).flatMap(({ label, text, role }) => {
    return wrapLine(labelled(label, line(visibleText(text), role)), width);
  });
  return [...(head.length > 0 ? [...head, []] : []), ...table, [], ...wrappedValue(entry, state, width)];
}

function shortLines(entry: VariableEntry, state: State, width: number): Line[] {
  const text = facts(entry, state).map((fact) => fact.short ?? fact.text);
  const head = [...nameLines(entry, width), ...wrapLines(text.join(" · "), width, "muted")];
  const description = wrappedDescription(entry, width);
  const lines = wrappedValue(entry, state, width);
  // A long description would hide the value.
  return description.length > 1 ? [...head, ...lines, ...description] : [...head, ...description, ...lines];
}

interface Fact {
  readonly label: string;
  readonly text: string;
  /** The text where there is no label. */
  readonly short?: string;
  readonly role?: Role;
}

function facts({ variable, value }: VariableEntry, { marks }: State): Fact[] {
  const { type, id, name } = variable;
  const mark = marks?.kinds.get(name);
  const facts: Fact[] = [
    { label: "type", text: type },
    { label: "variable id", text: String(id), short: `id ${id}` },
    value
      ? { label: "value id", text: String(value.id), short: `value id ${value.id}` }
      : { label: "value id", text: "none", short: "no value id", role: "muted" },
    isEncrypted(value?.content.value)
      ? { label: "encrypted", text: "yes, by a client", short: "encrypted" }
      : { label: "encrypted", text: "no", short: "not encrypted" },
  ];
  if (mark) facts.push({ label: "change", text: CHANGES[mark], role: "warning" });
  if (isReservedName(name)) facts.push({ label: "name", text: RESERVED_WARNING, role: "warning" });
  return facts;
}

function nameLines({ variable }: VariableEntry, width: number): Line[] {
  const name = visibleText(variable.name);
  return textWidth(name) + AROUND_TITLE <= width ? [] : wrapLine(line(name, "accent"), width);
}

function wrappedDescription({ variable }: VariableEntry, width: number): Line[] {
  return variable.description === "" ? [] : wrapLines(variable.description, width, "text");
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
    return wrapLine([PLACEHOLDERS[shown.kind]], width);
  }
  const { revealed } = state;
  const { text } = shown;
  const last = revealed && lastWrapped.get(revealed);
  if (last && last.entry === entry && last.text === text && last.width === width) return last.lines;
  const lines = valueLines(text, entry.variable.type).flatMap((each) => wrapLine(each, width));
  if (revealed) lastWrapped.set(revealed, { entry, text, width, lines });
  return lines;
}
