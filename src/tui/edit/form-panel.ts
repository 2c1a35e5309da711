import { isPublic } from "../../domain/variable.js";
import { isRevealed, MASK } from "../reading/reveal.js";
import { type Size, textColumns } from "../state/layout.js";
import { FORM_FIELDS, type Form, type FormField } from "../state/modes.js";
import { placeName } from "../state/places.js";
import type { State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import {
  cellText,
  countText,
  fitLine,
  indented,
  LABEL_WIDTH,
  type Line,
  labelled,
  line,
  wrapLines,
} from "../text/line.js";
import type { PanelContent } from "../view/panel.js";
import { PLACEHOLDERS } from "../view/values.js";
import { inputText, textArea, textInput } from "../widgets/text-field.js";

const MARK_WIDTH = 2;

export function formPanel(state: State, form: Form, size: Size): PanelContent {
  const place = placeName(state, form.place ?? state.place);
  const width = textColumns(size);
  const end = form.problem === undefined ? [] : wrapLines(`✗ ${form.problem}`, width, "danger");
  // The border, an empty line above the fields and one below them, and the other fields.
  const height = Math.max(1, size.height - 2 - 2 - (FORM_FIELDS.length - 1) - end.length);
  const blocks = FORM_FIELDS.map((field) => fieldLines(form, field, state, width, height));
  const fieldAt = blocks.flatMap((lines, index) => lines.map(() => FORM_FIELDS[index]));
  return {
    title: form.purpose === "add" ? `Add to ${place}` : `Edit in ${place}`,
    footnote: positionText(form),
    isFocused: true,
    lines: [[], ...blocks.flat(), [], ...end].map(indented),
    select: (now, { line: index }) => {
      const field = fieldAt[index - 1];
      const isFixed = field === "name" && form.purpose === "edit";
      return field === undefined || isFixed ? undefined : { ...now, mode: { ...form, field } };
    },
    pressesEnter: false,
  };
}

/** `line 3/12` */
function positionText({ field, value: { text, cursor } }: Form): string | undefined {
  if (field !== "value" || !text.includes("\n")) return undefined;
  return `line ${countText(lineCount(text.slice(0, cursor)))}/${countText(lineCount(text))}`;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function fieldLines(form: Form, field: FormField, state: State, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  const room = Math.max(1, width - MARK_WIDTH - LABEL_WIDTH);
  return fieldContent(form, field, state, room, height).map((content, index): Line => {
    const isFirst = index === 0;
    return [
      { text: isFocused && isFirst ? "› " : "  ", role: "accent" },
      ...labelled(isFirst ? field : "", fitLine(content, room), isFocused ? "accent" : "muted"),
    ];
  });
}

function fieldContent(form: Form, field: FormField, { revealed }: State, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  if (field === "type") return [[{ text: isFocused ? `◂ ${form.type} ▸` : form.type, isBold: isFocused }]];
  if (field === "name" && form.purpose === "edit") {
    return [[{ text: visibleText(form.name.text) }, { text: "  (fixed)", role: "muted" }]];
  }
  const { text } = form[field];
  if (isFocused) {
    if (text === "" && field === "value") return [emptyValue(form)];
    return field === "value" ? textArea(form.value, width, height) : [textInput(form[field], width)];
  }
  if (text === "") return [field === "value" ? [emptyText(form)] : line("(empty)", "muted")];
  const isShown = field !== "value" || isRevealed(revealed, form.name.text) || isPublic(form.before);
  return [isShown ? line(cellText(inputText(text), width)) : line(MASK, "muted")];
}

/** The cursor in the empty field, and the meaning of an empty field. */
function emptyValue(form: Form): Line {
  return [...textInput(form.value, 1), { text: " " }, emptyText(form)];
}

function emptyText({ type, before, isValueKept }: Form): Line[number] {
  if (isValueKept && before?.value !== undefined) return { text: "(encrypted; type a new value)", role: "muted" };
  if (isValueKept) return PLACEHOLDERS.none;
  return type === "STRING" ? PLACEHOLDERS.shown : { text: "(nothing)", role: "muted" };
}
