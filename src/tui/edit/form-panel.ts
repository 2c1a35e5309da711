import { isPublic } from "../../domain/variable.js";
import { isRevealed, MASK, unmasking } from "../reading/shown.js";
import { type Size, textColumns } from "../state/layout.js";
import { placeName } from "../state/places.js";
import type { State } from "../state/state.js";
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
import { type Field, type Form, fieldsOf, isChoice } from "./form-fields.js";

/** @param focus gives a field the focus */
export function formPanel(
  state: State,
  form: Form,
  size: Size,
  focus: (state: State, field: Field) => State,
): PanelContent {
  const place = placeName(state, form.place);
  const width = textColumns(size);
  const fields = fieldsOf(form);
  const end = form.problem === undefined ? [] : wrapLines(`✗ ${form.problem}`, width, "danger");
  // Without the border and the problem.
  const room = size.height - 2 - end.length;
  // With an empty line above the fields and one below them, and the other fields.
  const height = Math.max(1, room - 2 - (fields.length - 1));
  const rows = fields.flatMap((field) =>
    fieldLines(state, form, field, width, height).map((text) => ({ field, text })),
  );
  const gap = rows.length + 2 > room ? [] : [[]];
  // On a small screen, the field with the focus is visible.
  const top = gap.length > 0 ? 0 : Math.max(0, rows.findLastIndex(({ field }) => field === form.field) + 1 - room);
  return {
    title: form.purpose === "add" ? `Add to ${place}` : `Edit in ${place}`,
    footnote: positionText(form),
    isFocused: true,
    lines: [...gap, ...rows.slice(top, top + room).map(({ text }) => text), ...gap, ...end].map(indented),
    select: (now, { line: index }) => {
      const row = rows[index + top - gap.length];
      return row && focus(now, row.field);
    },
    pressesEnter: false,
  };
}

/** `line 3/12` */
function positionText({ field, texts: { value } }: Form): string | undefined {
  const { text, cursor } = value;
  if (field !== "value" || !text.includes("\n")) return undefined;
  return `line ${countText(lineCount(text.slice(0, cursor)))}/${countText(lineCount(text))}`;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function fieldLines(state: State, form: Form, field: Field, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  const room = Math.max(1, width - MARK_WIDTH - LABEL_WIDTH);
  return fieldContent(state, form, field, room, height).map((content, index): Line => {
    const isFirst = index === 0;
    return [
      { text: isFocused && isFirst ? "› " : "  ", role: "accent" },
      ...labelled(isFirst ? field : "", fitLine(content, room), isFocused ? "accent" : "muted"),
    ];
  });
}

const MARK_WIDTH = 2;

function fieldContent(state: State, form: Form, field: Field, width: number, height: number): Line[] {
  const isFocused = form.field === field;
  if (isChoice(field)) {
    const text = form.chosen[field];
    return [[{ text: isFocused ? `◂ ${text} ▸` : text, isBold: isFocused }]];
  }
  const own = form.texts[field];
  if (isFocused && field === "value") return own.text === "" ? [emptyValue(form)] : textArea(own, width, height);
  if (isFocused) return [textInput(own, width)];
  if (own.text === "") return [field === "value" ? [emptyText(form)] : line("(empty)", "muted")];
  const { initial, before } = form;
  const isShown =
    field !== "value" || isRevealed(state.revealed, initial.texts.name.text) || isPublic(unmasking(state, before));
  return [isShown ? line(cellText(inputText(own.text), width)) : line(MASK, "muted")];
}

/** The cursor in the empty field, and the meaning of an empty field. */
function emptyValue(form: Form): Line {
  return [...textInput(form.texts.value, 1), { text: " " }, emptyText(form)];
}

function emptyText({ chosen: { type }, before, isValueKept }: Form): Line[number] {
  if (isValueKept && before?.value !== undefined) return { text: "(encrypted; type a new value)", role: "muted" };
  if (isValueKept) return PLACEHOLDERS.none;
  return type === "STRING" ? PLACEHOLDERS.shown : { text: "(nothing)", role: "muted" };
}
