import { valueText } from "../../domain/variable.js";
import type { Message } from "../state/messages.js";
import type { EditText } from "../state/ports.js";
import { indented, textToEdit } from "./edited-text.js";
import { attempt, type EffectOf, type Performs, type Shared } from "./performing.js";

/** Prepares and makes edits. */
export function edits(shared: Shared): Performs<"prepare" | "assign" | "renew" | "apply"> {
  const { places } = shared;
  return {
    prepare: ({ place, draft }) => {
      const prepare = async (): Promise<Message> => {
        const { editor } = await places.openToEdit(place);
        return { type: "prepared", edit: editor.prepare(draft), text: draft.value };
      };
      return attempt(shared, prepare, (failure) => ({ type: "notPrepared", name: draft.name, failure }));
    },
    assign: ({ place, purpose, assignments }) => {
      const assign = async (): Promise<Message> => {
        const { editor } = await places.openToEdit(place);
        return { type: "assigned", place, purpose, edit: editor.assign(assignments) };
      };
      return attempt(shared, assign);
    },
    renew: ({ place, edit }) => {
      const renew = async (): Promise<Message> => {
        const { editor } = await places.openToEdit(place);
        return { type: "renewed", edit, now: editor.renew(edit) };
      };
      // The edit can be dropped from the history even if the place fails.
      return attempt(shared, renew, () => ({ type: "renewed", edit, now: edit }));
    },
    apply: ({ place, edit }) => {
      const apply = async (): Promise<Message> => {
        const { editor } = await places.openToEdit(place);
        await editor.apply(edit);
        return { type: "applied" };
      };
      attempt(shared, apply, (failure) => ({ type: "notApplied", failure }));
    },
  };
}

/** Opens texts in the person's own editor. */
export class TextEditing implements Performs<"editValue" | "editText"> {
  readonly #shared: Shared;
  readonly #edit: EditText;
  #editing: Promise<void> | undefined;

  constructor(shared: Shared, edit: EditText) {
    this.#shared = shared;
    this.#edit = edit;
  }

  readonly editValue = ({ place, entry }: EffectOf<"editValue">): void => {
    this.#start(async () => {
      const { decrypt } = await this.#shared.places.openToEdit(place);
      const { name, type } = entry.variable;
      const text = await this.#edited(textToEdit(entry, decrypt), { name, isJson: type === "JSON" });
      return { type: "valueEdited", place, entry, text };
    });
  };

  readonly editText = ({ place, text, sealed, name, isJson }: EffectOf<"editText">): void => {
    this.#start(async () => {
      const plain =
        sealed === undefined ? text : valueText((await this.#shared.places.open(place)).decrypt(name, sealed));
      const before = isJson ? indented(plain) : plain;
      return { type: "textEdited", text: await this.#edited(before, { name, isJson }) };
    });
  };

  /** Whether a text is open there, or about to be. */
  get isEditing(): boolean {
    return this.#editing !== undefined;
  }

  /** Waits until the editor has ended. */
  async close(): Promise<void> {
    await this.#editing;
  }

  #start(work: () => Promise<Message>): void {
    this.#editing = attempt(this.#shared, work).finally(() => {
      this.#editing = undefined;
    });
  }

  /** Undefined if nothing was changed. */
  async #edited(before: string, file: Parameters<EditText>[1]): Promise<string | undefined> {
    const text = await this.#edit(before, file);
    return text === before ? undefined : text;
  }
}
