import { isRevealed } from "../state/is-revealed.js";
import type { Size } from "../state/layout.js";
import { MASK } from "../state/shown-value.js";
import type { Form, FormField, State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { cellText } from "../text/cell-text.js";
import { fitLine } from "../text/fit-line.js";
import { type Line, line } from "../text/line.js";
import { inputText, textInput } from "../text/text-input.js";
import { visibleText } from "../text/visible-text.js";
import { wrapWords } from "../text/wrap-line.js";
import { Panel } from "./panel.js";

interface FormPanelProps {
  readonly state: State;
  readonly form: Form;
  readonly size: Size;
}

const FIELDS: readonly FormField[] = ["name", "type", "value", "description"];
const LABEL_WIDTH = 13;
const MARK_WIDTH = 2;

/** A variable that is being typed. */
export function FormPanel({ state, form, size }: FormPanelProps) {
  const place = visibleText(state.places[state.place]?.name ?? "");
  const title = form.purpose === "add" ? `Add to ${place}` : `Edit in ${place}`;
  return <Panel size={size} title={title} isFocused={true} lines={formLines(form, state, textColumns(size))} />;
}

function formLines(form: Form, state: State, width: number): Line[] {
  const fields = FIELDS.map((field) => fieldLine(form, field, state, width));
  const problem = form.problem === undefined ? [] : wrapWords(`✗ ${visibleText(form.problem)}`, width);
  const lines = [[], ...fields, [], ...problem.map((text) => line(text, "danger"))];
  return lines.map((each) => [{ text: " " }, ...each]);
}

function fieldLine(form: Form, field: FormField, state: State, width: number): Line {
  const isFocused = form.field === field;
  const room = Math.max(1, width - MARK_WIDTH - LABEL_WIDTH);
  return [
    { text: isFocused ? "› " : "  ", role: "accent" },
    { text: field.padEnd(LABEL_WIDTH), role: isFocused ? "accent" : "muted" },
    ...fitLine(content(form, field, state, room), room),
  ];
}

function content(form: Form, field: FormField, { revealed }: State, width: number): Line {
  const isFocused = form.field === field;
  if (field === "type") return [{ text: isFocused ? `◂ ${form.type} ▸` : form.type, isBold: isFocused }];
  if (field === "name" && form.purpose === "edit") {
    return [{ text: visibleText(form.name.text) }, { text: "  (stays)", role: "muted" }];
  }
  if (isFocused) return textInput(form[field], width);
  const isShown = field !== "value" || isRevealed(revealed, form.name.text);
  const { text } = form[field];
  if (text === "") return line("(empty)", "muted");
  return isShown ? line(cellText(inputText(text), width)) : line(MASK, "muted");
}
