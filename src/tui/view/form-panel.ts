import { type Size, textColumns } from "../state/layout.js";
import { isRevealed, MASK } from "../state/reveal.js";
import { FORM_FIELDS, type Form, type FormField, type State } from "../state/state.js";
import { visibleText } from "../text/graphemes.js";
import { cellText, fitLine, indented, LABEL_WIDTH, type Line, labelled, line, wrapLines } from "../text/line.js";
import { inputText, textInput } from "../text/text-input.js";
import type { PanelContent } from "./panel-content.js";
import { placeName } from "./places-panel.js";

const MARK_WIDTH = 2;

export function formPanel(state: State, form: Form, size: Size): PanelContent {
  const place = placeName(state, state.place);
  const width = textColumns(size);
  const fields = FORM_FIELDS.map((field) => fieldLine(form, field, state, width));
  const problem = form.problem === undefined ? [] : wrapLines(`✗ ${form.problem}`, width, "danger");
  return {
    title: form.purpose === "add" ? `Add to ${place}` : `Edit in ${place}`,
    isFocused: true,
    lines: [[], ...fields, [], ...problem].map(indented),
  };
}

function fieldLine(form: Form, field: FormField, state: State, width: number): Line {
  const isFocused = form.field === field;
  const room = Math.max(1, width - MARK_WIDTH - LABEL_WIDTH);
  const content = fitLine(fieldContent(form, field, state, room), room);
  return [
    { text: isFocused ? "› " : "  ", role: "accent" },
    ...labelled(field, content, isFocused ? "accent" : "muted"),
  ];
}

function fieldContent(form: Form, field: FormField, { revealed }: State, width: number): Line {
  const isFocused = form.field === field;
  if (field === "type") return [{ text: isFocused ? `◂ ${form.type} ▸` : form.type, isBold: isFocused }];
  if (field === "name" && form.purpose === "edit") {
    return [{ text: visibleText(form.name.text) }, { text: "  (fixed)", role: "muted" }];
  }
  if (isFocused) return textInput(form[field], width);
  const isShown = field !== "value" || isRevealed(revealed, form.name.text);
  const { text } = form[field];
  if (text === "") return line("(empty)", "muted");
  return isShown ? line(cellText(inputText(text), width)) : line(MASK, "muted");
}
