import { isEncrypted, type VariableType } from "../../domain/variable.js";
import type { Entry } from "../ports.js";
import { jsonLines } from "../text/json-lines.js";
import { type Line, line } from "../text/line.js";
import { textWidth } from "../text/text-width.js";
import { visibleText } from "../text/visible-text.js";
import { wrapLine, wrapWords } from "../text/wrap-line.js";
import { pageSize } from "./layout.js";
import { problemLines } from "./list-status.js";
import { selectedEntry } from "./selected-entry.js";
import { MASK, shownValue } from "./shown-value.js";
import type { Revealed, State } from "./state.js";

const LABEL_WIDTH = 13;

/** Lines of a panel from which on there is room for a table of what a record is. */
const ROOMY = 14;

/** Columns of a panel's text that its title has not: what is around it, and the mark of the focus. */
const AROUND_TITLE = 4;

/**
 * The record that the list's cursor is on, in lines of at most `width` columns; none in an empty list. Its name is the
 * panel's title, and in the lines only if it is too long for that. In a low panel it is told more shortly. A long value
 * is wrapped once, and again only when it is another or the width is. What is wrong with the place is there too, since the
 * list has one line for it only.
 *
 * @param width as `textColumns` has it of the record's panel
 */
export function recordLines(state: State, width: number): readonly Line[] {
  const entry = selectedEntry(state);
  if (!entry) return [];
  const problem = problemLines(state, width);
  const lines = entryLines(entry, state, width);
  if (problem.length === 0) return lines;
  // In a low panel it would hide the value.
  return pageSize(state, "record") >= ROOMY ? [...problem, [], ...lines] : [...lines, [], ...problem];
}

function entryLines(entry: Entry, state: State, width: number): readonly Line[] {
  const value = valueLines(entry, state, width);
  if (pageSize(state, "record") >= ROOMY) return [...tallHead(entry, state, width), ...value];
  const head = [...nameLines(entry, width), ...factLines(entry, state, width)];
  const description = descriptionLines(entry, width);
  // A long one would hide the value.
  return description.length > 1 ? [...head, ...value, ...description] : [...head, ...description, ...value];
}

/** Type, ids and what else there is to tell of it, on one line if they fit. */
function factLines(entry: Entry, { marks }: State, width: number): Line[] {
  const { variable, value } = entry;
  const mark = marks?.kinds.get(variable.name);
  const facts = [visibleText(variable.type), `id ${variable.id}`, value ? `value id ${value.id}` : "no value id"];
  facts.push(encryptionText(entry));
  if (mark) facts.push(CHANGES[mark]);
  return wrapWords(facts.join(" · "), width).map((text) => line(text, "muted"));
}

function tallHead(entry: Entry, { marks }: State, width: number): Line[] {
  const { variable, value } = entry;
  const mark = marks?.kinds.get(variable.name);
  const fields: [string, Line][] = [
    ["type", line(visibleText(variable.type))],
    ["variable id", line(String(variable.id))],
    ["value id", value ? line(String(value.id)) : line("none", "muted")],
    ["encrypted", line(encryptionText(entry) === "encrypted" ? "yes, by a client" : "no")],
  ];
  if (mark) fields.push(["change", line(CHANGES[mark], "warning")]);
  const head = [...nameLines(entry, width), ...descriptionLines(entry, width)];
  return [
    ...(head.length > 0 ? [...head, []] : []),
    ...fields.flatMap(([label, text]) =>
      wrapLine([{ text: label.padEnd(LABEL_WIDTH), role: "muted" }, ...text], width),
    ),
    [],
  ];
}

const CHANGES = { added: "+ new", changed: "~ changed" } as const;

function nameLines({ variable }: Entry, width: number): Line[] {
  const name = visibleText(variable.name);
  return textWidth(name) + AROUND_TITLE <= width ? [] : wrapLine(line(name, "accent"), width);
}

function descriptionLines({ variable }: Entry, width: number): Line[] {
  if (variable.description === "") return [];
  return wrapWords(visibleText(variable.description), width).map((text) => line(text));
}

function encryptionText({ value }: Entry): string {
  return value && isEncrypted(value.content.value) ? "encrypted" : "not encrypted";
}

function valueLines(entry: Entry, state: State, width: number): readonly Line[] {
  const shown = shownValue(entry, state);
  switch (shown.kind) {
    case "shown":
      return shownLines(entry, shown.text, state.revealed, width);
    case "masked":
      return [line(MASK, "muted")];
    case "encrypted":
      return wrapLine(line("(encrypted)", "warning"), width);
    case "none":
      return wrapLine(line("(no value)", "muted"), width);
    case "loading":
      return [line("…", "muted")];
  }
}

interface Wrapped {
  readonly entry: Entry;
  readonly text: string;
  readonly width: number;
  readonly lines: readonly Line[];
}

/** The value that was wrapped last. Kept no longer than values are revealed: then nothing else holds the key. */
const wrapped = new WeakMap<Revealed, Wrapped>();

function shownLines(entry: Entry, text: string, revealed: Revealed | undefined, width: number): readonly Line[] {
  const last = revealed && wrapped.get(revealed);
  if (last && last.entry === entry && last.text === text && last.width === width) return last.lines;
  const lines = textLines(text, entry.variable.type).flatMap((each) => wrapLine(each, width));
  if (revealed) wrapped.set(revealed, { entry, text, width, lines });
  return lines;
}

const ROLES = { STRING: "text", NUMBER: "number", BOOLEAN: "boolean", JSON: "text" } as const;

/** A value before it is wrapped: JSON pretty-printed, any other text with the lines it has. */
export function textLines(text: string, type: VariableType): readonly Line[] {
  if (text === "") return [line("(empty)", "muted")];
  if (type === "JSON") return parsedLines(text) ?? plainLines(text, type);
  return plainLines(text, type);
}

function plainLines(text: string, type: VariableType): Line[] {
  return text.split("\n").map((each) => line(visibleText(each), ROLES[type]));
}

function parsedLines(text: string): Line[] | undefined {
  try {
    return jsonLines(JSON.parse(text));
  } catch {
    // What was decrypted, or a JSON variable that holds a string, is shown as it is.
    return undefined;
  }
}
