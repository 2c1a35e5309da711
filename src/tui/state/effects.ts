import type { VariableEntry } from "../../domain/source.js";
import type { JsonValue } from "../../domain/variable.js";
import type { CopyFormat } from "./copy-formats.js";
import type { Other } from "./loaded.js";
import type { Assignment, Draft, Edit, ExportedFile, ImportedFile, NewCredentials } from "./ports.js";

export type EditPurpose = "add" | "edit" | "delete" | "take-over" | "import";
export type Purpose = EditPurpose | "undo" | "redo";

/** Work whose outcome is a question about an edit, or new credentials: keys wait for it. */
const AWAITED = ["prepare", "assign", "renew", "import", "addEnvironment", "rotate"] as const;
export type PendingEffect = Extract<Effect, { type: (typeof AWAITED)[number] }>;

export function isAwaited(effect: Effect): effect is PendingEffect {
  return AWAITED.some((type) => type === effect.type);
}

/** Work outside of the state. Its outcome comes back as a message. */
export type Effect =
  | Readonly<{ type: "load"; place: number; generation: number; known: readonly VariableEntry[] }>
  /** Without a `place`, of the open one. */
  | { readonly type: "decrypt"; readonly entry: VariableEntry; readonly place?: number }
  | Readonly<{ type: "copy"; place: number; entries: readonly VariableEntry[]; format: CopyFormat }>
  /** Opens a value in the person's own editor. */
  | { readonly type: "editValue"; readonly place: number; readonly entry: VariableEntry }
  /** The same for the text in a form, or for the encrypted value that it keeps. */
  | Readonly<{
      type: "editText";
      place: number;
      text: string;
      sealed: JsonValue | undefined;
      name: string;
      isJson: boolean;
    }>
  | { readonly type: "prepare"; readonly place: number; readonly draft: Draft }
  /** Prepares an edit without a form. */
  | Readonly<{ type: "assign"; place: number; purpose: EditPurpose; assignments: readonly Assignment[] }>
  /** Finds out the effect of an edit of the history on the present data. */
  | { readonly type: "renew"; readonly place: number; readonly edit: Edit }
  | { readonly type: "apply"; readonly place: number; readonly edit: Edit }
  | { readonly type: "compare"; readonly place: number }
  | Readonly<{ type: "readOther"; place: number; known: Other["entries"] }>
  /** Cancels the reads of places whose outcome nobody waits for. */
  | { readonly type: "stopReading"; readonly places: readonly number[] }
  | Readonly<{ type: "lookUp"; name: string; places: readonly number[] }>
  | { readonly type: "listFolder"; readonly folder: string }
  /** Prepares an edit from a file. */
  | { readonly type: "import"; readonly place: number; readonly file: ImportedFile }
  | Readonly<{ type: "export"; place: number; file: ExportedFile; isReplacing: boolean }>
  | { readonly type: "addEnvironment"; readonly place: number; readonly name: string }
  | { readonly type: "rotate"; readonly place: number; readonly grace: string }
  | { readonly type: "copyCredentials"; readonly credentials: NewCredentials }
  | { readonly type: "quit" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" };
