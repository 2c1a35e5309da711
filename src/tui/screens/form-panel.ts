import { isPublic, valueText } from "../../model/variable.js";
import type { PanelContent } from "../stack/panel.js";
import { type Size, textColumns } from "../state/layout.js";
import { placeName, shortPlaceName } from "../state/places.js";
import type { State } from "../state/state.js";
import { displayRules, isRevealed, MASK } from "../table/reveal.js";
import { visibleText } from "../text/graphemes.js";
import {
  fitLine,
  indented,
  LABEL_WIDTH,
  type Line,
  labelled,
  line,
  wrapLine,
  wrapLines,
} from "../text/line.js";
import { PLACEHOLDERS } from "../view/values.js";
import { focusedInput, rowOf, textArea, unfocusedInput } from "../widgets/text-field.js";
import { type Field, type Form, isChoice, isValueKept } from "./form-fields.js";

/** @param replaceForm replaces the form on top of the stack */
export function formPanel(
  state: State,
  form: Form,
  size: Size,
  replaceForm: (state: State, form: Form) => State,
): PanelContent {
  const place = placeName(state, form.place);
  const width = textColumns(size);
  const { fields } = form;
  const end = form.problem === undefined ? [] : wrapLines(`✗ ${form.problem}`, width, "danger");
  // The border takes two lines.
  const room = size.height - 2 - end.length;
  const height = valueHeight(form, { ...size, height: size.height - end.length });
  const rows = fields.flatMap((field) =>
    fieldLines(state, form, field, width, height).map((text) => ({ field, text })),
  );
  // On a small screen, keep the focused field visible.
  const top =
    rows.length > room
      ? Math.max(0, rows.findLastIndex(({ field }) => field === form.field) + 1 - room)
      : 0;
  return {
    title: form.before ? `Edit in ${place}` : `Add to ${place}`,
    footnote: footnoteOf(form),
    isFocused: true,
    lines: [...rows.slice(top, top + room).map(({ text }) => text), ...end].map(indented),
    select: (now, { line: index }) => {
      const row = index < room ? rows[index + top] : undefined;
      return row && replaceForm(now, { ...form, field: row.field });
    },
    pressesEnter: false,
  };
}

export function valueHeight({ fields }: Form, { height }: Size): number {
  return Math.max(1, height - 1 - fields.length);
}

/** `one of: debug, info`, or `line 3/12` */
function footnoteOf({ field, before, inputs: { value } }: Form): string | undefined {
  if (field !== "value") return undefined;
  const allowed = before?.schema?.["enum"];
  if (Array.isArray(allowed)) return `one of: ${visibleText(allowed.map(valueText).join(", "))}`;
  if (!value.text.includes("\n")) return undefined;
  return `line ${rowOf(value) + 1}/${value.text.split("\n").length}`;
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

function fieldContent(
  state: State,
  form: Form,
  field: Field,
  width: number,
  height: number,
): Line[] {
  const isFocused = form.field === field;
  if (field === "for") return placeLines(state, form, width);
  const input = form.inputs[field];
  if (isChoice(field))
    return [[{ text: isFocused ? `◂ ${input.text} ▸` : input.text, isBold: isFocused }]];
  const placeholder = field === "value" ? emptyLine(form) : [PLACEHOLDERS.shown];
  if (input.text === "")
    return [isFocused ? [...focusedInput(input, 1), { text: " " }, ...placeholder] : placeholder];
  if (isFocused) return textArea(input, width, height);
  const isPlain =
    isRevealed(state.revealed, form.initial.name.text) ||
    isPublic(displayRules(state, form.before));
  return [
    field === "value" && !isPlain ? line(MASK, "muted") : line(unfocusedInput(input.text, width)),
  ];
}

/** `✓ development · test`, with the environment under the cursor inverse. */
function placeLines(
  state: State,
  { field, candidates, targets, placeCursor }: Form,
  width: number,
): Line[] {
  const spans = candidates.flatMap((place): Line => {
    const text = `${targets.has(place) ? "✓" : "·"} ${shortPlaceName(state, place)}`;
    return [{ text, isInverse: field === "for" && place === placeCursor }, { text: "  " }];
  });
  return wrapLine(spans, width);
}

function emptyLine(form: Form): Line {
  const { before, inputs } = form;
  if (!isValueKept(form))
    return inputs.type.text === "STRING" ? [PLACEHOLDERS.shown] : line("(type a value)", "muted");
  return before?.value === undefined
    ? [PLACEHOLDERS.none]
    : line("(encrypted; type a new value)", "muted");
}
