import { isPublic } from "../../domain/variable.js";
import { isRevealed, MASK, unmasking } from "../reading/shown.js";
import { type Size, textColumns } from "../state/layout.js";
import { placeName } from "../state/places.js";
import type { State } from "../state/state.js";
import {
  countText,
  fitLine,
  indented,
  LABEL_WIDTH,
  type Line,
  labelled,
  line,
  type Span,
  wrapLines,
} from "../text/line.js";
import type { PanelContent } from "../view/panel.js";
import { PLACEHOLDERS } from "../view/values.js";
import { inputText, rowOf, textArea, textInput } from "../widgets/text-field.js";
import { type Field, type Form, isChoice, isValueKept } from "./form-fields.js";

/** @param focus gives a field the focus */
export function formPanel(
  state: State,
  form: Form,
  size: Size,
  focus: (state: State, field: Field) => State,
): PanelContent {
  const place = placeName(state, form.place);
  const width = textColumns(size);
  const { fields } = form;
  const end = form.problem === undefined ? [] : wrapLines(`✗ ${form.problem}`, width, "danger");
  // Without the border and the problem.
  const room = size.height - 2 - end.length;
  const height = Math.max(1, room - (fields.length - 1));
  const rows = fields.flatMap((field) =>
    fieldLines(state, form, field, width, height).map((text) => ({ field, text })),
  );
  // On a small screen, the field with the focus is visible.
  const top = rows.length > room ? Math.max(0, rows.findLastIndex(({ field }) => field === form.field) + 1 - room) : 0;
  return {
    title: form.before ? `Edit in ${place}` : `Add to ${place}`,
    footnote: positionText(form),
    isFocused: true,
    lines: [...rows.slice(top, top + room).map(({ text }) => text), ...end].map(indented),
    select: (now, { line: index }) => {
      const row = index < room ? rows[index + top] : undefined;
      return row && focus(now, row.field);
    },
    pressesEnter: false,
  };
}

/** `line 3/12` */
function positionText({ field, inputs: { value } }: Form): string | undefined {
  if (field !== "value" || !value.text.includes("\n")) return undefined;
  return `line ${countText(rowOf(value) + 1)}/${countText(value.text.split("\n").length)}`;
}

function fieldLines(state: State, form: Form, field: Field, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  const room = Math.max(1, width - 2 - LABEL_WIDTH);
  return fieldContent(state, form, field, room, height).map((content, index): Line => {
    const isFirst = index === 0;
    return [
      { text: isFocused && isFirst ? "› " : "  ", role: "accent" },
      ...labelled(isFirst ? field : "", fitLine(content, room), isFocused ? "accent" : "muted"),
    ];
  });
}

function fieldContent(state: State, form: Form, field: Field, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  const input = form.inputs[field];
  if (isChoice(field)) return [[{ text: isFocused ? `◂ ${input.text} ▸` : input.text, isBold: isFocused }]];
  const placeholder = field === "value" ? emptyText(form) : PLACEHOLDERS.shown;
  if (input.text === "") return [isFocused ? [...textInput(input, 1), { text: " " }, placeholder] : [placeholder]];
  if (isFocused) return textArea(input, width, height);
  const isPlain = isRevealed(state.revealed, form.initial.name.text) || isPublic(unmasking(state, form.before));
  return [field === "value" && !isPlain ? line(MASK, "muted") : line(inputText(input.text, width))];
}

/** The meaning of an empty field. */
function emptyText(form: Form): Span {
  if (isValueKept(form)) {
    return form.before?.value === undefined
      ? PLACEHOLDERS.none
      : { text: "(encrypted; type a new value)", role: "muted" };
  }
  return form.inputs.type.text === "STRING" ? PLACEHOLDERS.shown : { text: "(type a value)", role: "muted" };
}
