import type { Difference } from "../../../src/domain/differing-values.js";
import type { Step } from "../../../src/tui/state/messages.js";
import type {
  Comparison,
  Confirmation,
  CredentialsMode,
  Form,
  Matrix,
  Mode,
  Question,
} from "../../../src/tui/state/modes.js";
import type { Assigned, Edit } from "../../../src/tui/state/ports.js";
import type { State } from "../../../src/tui/state/state.js";
import { textField } from "../../../src/tui/widgets/text-field.js";
import { SECRET } from "./state.js";

export const FORM: Form = {
  kind: "form",
  purpose: "edit",
  before: undefined,
  field: "description",
  name: textField("DATABASE_URL"),
  type: "STRING",
  value: textField(SECRET),
  isValueKept: false,
  description: textField("Primary database"),
  problem: undefined,
};

export function editOf(name: string, before: Assigned | undefined, after: Assigned | undefined): Edit {
  return { changes: [{ name, before, after }] };
}

export const CONFIRMATION: Confirmation = {
  kind: "confirm",
  purpose: "edit",
  place: 0,
  edit: editOf(
    "FLAGS",
    { type: "JSON", description: "Feature flags", value: { key: SECRET, list: [1, 2, 3] } },
    { type: "JSON", description: "Flags", value: { key: SECRET, list: [1, 2, 4] } },
  ),
  isRevealed: false,
  button: "yes",
  typed: textField(""),
  problem: undefined,
  back: { kind: "browse" },
  top: 0,
};

/** A deletion of the last value of a variable. */
export const DELETION: Confirmation = {
  ...CONFIRMATION,
  purpose: "delete",
  edit: { changes: CONFIRMATION.edit.changes.map((change) => ({ ...change, after: undefined })) },
};

const DIFFERENCES: readonly Difference[] = [
  { kind: "added", name: "ONLY_THERE", after: { name: "ONLY_THERE", type: "STRING", value: SECRET } },
  { kind: "removed", name: "ONLY_HERE", before: { name: "ONLY_HERE", type: "STRING", value: SECRET } },
  {
    kind: "changed",
    name: "PORT",
    before: { name: "PORT", type: "NUMBER", value: 3000 },
    after: { name: "PORT", type: "STRING", value: SECRET },
  },
];

const QUESTION: Question = {
  kind: "ask",
  title: "Export",
  text: "vars.env already exists. Replace it?",
  answer: "Replace",
  button: "yes",
  required: "shop/production",
  typed: textField("shop"),
  effect: { type: "rotate", place: 0, grace: "" },
  back: { kind: "browse" },
};

export const CREDENTIALS: CredentialsMode = {
  kind: "credentials",
  credentials: { environment: "shop/staging", apiKey: "key", apiSecret: SECRET, lines: [`export SECRET=${SECRET}`] },
  back: { kind: "browse" },
};

export const MATRIX: Matrix = {
  kind: "matrix",
  name: "PORT",
  cursor: 1,
  place: 0,
  top: 0,
  left: 0,
  only: "all",
  filter: "",
};

export const COMPARISON: Comparison = {
  kind: "diff",
  place: 2,
  phase: "ready",
  failure: undefined,
  isEditable: true,
  open: [],
  others: [],
  all: DIFFERENCES,
  differences: DIFFERENCES,
  filter: "",
  focus: "list",
  detailTop: 0,
  cursor: 1,
  top: 0,
};

/** One of each mode. */
export const MODES: readonly Mode[] = [
  { kind: "browse" },
  { kind: "filter", field: textField("data"), before: "" },
  { kind: "command", field: textField("fnd"), query: "fnd", problem: "there is no command fnd; did you mean find?" },
  { kind: "command", field: textField(""), query: "", chosen: 2 },
  { kind: "help", top: 0 },
  { kind: "pick", purpose: { kind: "compare" }, cursor: 2, back: { kind: "browse" } },
  { kind: "copy", entries: [], cursor: 1, back: { kind: "browse" } },
  COMPARISON,
  MATRIX,
  FORM,
  { ...QUESTION, required: undefined, isDestructive: true, effect: { type: "quit" }, back: FORM },
  CONFIRMATION,
  QUESTION,
  CREDENTIALS,
  { ...DELETION, place: 2 },
];

/** The mode of a state, which must be of this kind. */
export function modeOf<K extends Mode["kind"]>(from: State | Step, kind: K): Extract<Mode, { readonly kind: K }> {
  const { mode } = "mode" in from ? from : from[0];
  if (!isKind(mode, kind)) throw new Error(`the mode is ${mode.kind}`);
  return mode;
}

function isKind<K extends Mode["kind"]>(mode: Mode, kind: K): mode is Extract<Mode, { readonly kind: K }> {
  return mode.kind === kind;
}
