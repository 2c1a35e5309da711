import { UsageError } from "../../domain/errors.js";
import { isReservedName } from "../../domain/reserved-names.js";
import { namedValues, type VariableEntry } from "../../domain/source.js";
import { valueText } from "../../domain/variable.js";
import { attempt, type EffectOf, type Performs, readOnly, type Shared } from "../reading/opened-places.js";
import { RESERVED_WARNING } from "../screens/record.js";
import type { CopyFormat } from "../state/copy-formats.js";
import type { Message } from "../state/messages.js";
import type { Copy, EditText, Environments, NewCredentials, OpenPlace, WriteValues, Written } from "../state/ports.js";
import { indented, textToEdit } from "../text/json.js";
import { countText } from "../text/line.js";

interface CopyOptions extends Shared {
  readonly copy: Copy;
  readonly write: WriteValues;
}

/** Copies values, and decrypts those that are shown. */
export function copying(options: CopyOptions): Performs<"copy" | "copyCredentials" | "decrypt"> {
  const { places, shown, copy, write } = options;
  /** @param what names the text in the notice, unless `text` names it more precisely, with a note about it */
  const copyText = (what: string, text: () => Promise<{ text: string; what?: string; note?: string | undefined }>) => {
    const copied = async (): Promise<Message> => {
      const { text: plain, ...about } = await text();
      return { type: "copied", what, ...about, outcome: await copy(plain) };
    };
    attempt(options, copied, ({ message }) => {
      return { type: "copied", what, outcome: { kind: "failed", reason: message } };
    });
  };
  return {
    copy: ({ place, entries, format }) => {
      const where = place === shown.place ? "" : ` of ${places.at(place)?.name}`;
      const nameOf = (copied: typeof entries) => `${copiedName(copied, format)}${where}`;
      copyText(nameOf(entries), async () => {
        const { leftOut = [], ...copied } = await copiedText(entries, format, await places.open(place), write);
        return { ...copied, what: nameOf(entries.filter(({ variable }) => !leftOut.includes(variable.name))) };
      });
    },
    copyCredentials: ({ credentials: { lines } }) => {
      copyText("the credentials", async () => ({ text: lines.join("\n") }));
    },
    decrypt: ({ entry: { variable, value }, place = shown.place }) => {
      const sealed = valueText(value?.content.value ?? "");
      const decrypt = async (): Promise<Message> => {
        const opened = await places.open(place);
        const text = value ? valueText(opened.decrypt(variable.name, value.content.value)) : "";
        return { type: "decrypted", sealed, text };
      };
      attempt(options, decrypt, (failure) => ({ type: "notDecrypted", failure }));
    },
  };
}

/** Names a copied text in a notice: `PORT`, `the command for PORT`, `12 variables as yaml`. */
function copiedName(entries: readonly VariableEntry[], format: CopyFormat): string {
  const copied = format === "name" ? entries : entries.filter(({ value }) => value !== undefined);
  // Without any value, the notice says why nothing is copied.
  const [first, ...others] = copied.length > 0 ? copied : entries;
  const names = first && others.length === 0 ? first.variable.name : `${countText(others.length + 1)} variables`;
  switch (format) {
    case "value":
      return names;
    case "name":
      return `the name${others.length === 0 ? "" : "s"} of ${names}`;
    case "command":
      return `the command for ${names}${warning(entries)}`;
    case "name=value":
      return `${names} as ${format}${warning(entries)}`;
    default:
      return `${names} as ${format}`;
  }
}

function warning(entries: readonly VariableEntry[]): string {
  return entries.some(({ variable }) => isReservedName(variable.name)) ? ` (${RESERVED_WARNING})` : "";
}

/** The types, which a `.env` file begins with, for `import`. */
const TYPE_COMMENTS = /^(?:#.*\n)+/;

/** @throws UsageError, DecryptionError */
async function copiedText(
  entries: readonly VariableEntry[],
  format: CopyFormat,
  { decrypt, getCommand }: Pick<OpenPlace, "decrypt" | "getCommand">,
  write: WriteValues,
): Promise<Written> {
  if (format === "name") return { text: entries.map(({ variable }) => variable.name).join("\n") };
  const values = namedValues(entries);
  if (values.length === 0) throw new UsageError("there is no value");
  if (format === "command") return { text: values.map(({ name }) => getCommand(name)).join("\n") };
  if (format === "value") return { text: values.map(({ name, value }) => valueText(decrypt(name, value))).join("\n") };
  if (format !== "name=value") return write(format, values, { decrypt, allowReserved: false });
  // These were chosen one by one.
  const { text, note } = await write("dotenv", values, { decrypt, allowReserved: true });
  return { text: text.replace(TYPE_COMMENTS, "").trimEnd(), note };
}

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

interface TransferOptions extends Shared {
  /** The names in a folder, as in `Listing`; none if it can't be read. */
  readonly listFolder: (folder: string) => Promise<readonly string[]>;
}

/** Reads and writes files, and changes environments. */
export function transfer(
  options: TransferOptions,
): Performs<"listFolder" | "import" | "export" | "addEnvironment" | "rotate"> {
  const { places, listFolder } = options;
  const changeEnvironments = (place: number, change: (environments: Environments) => Promise<NewCredentials>) => {
    return attempt(options, async () => {
      const { environments } = await places.open(place);
      if (!environments) throw new UsageError("the environments of a server can't be changed here");
      return { type: "credentials", credentials: await change(environments) };
    });
  };
  return {
    listFolder: ({ folder }) => {
      attempt(options, async () => ({ type: "listed", folder, names: await listFolder(folder) }));
    },
    import: ({ place, file }) => {
      return attempt(options, async (): Promise<Message> => {
        const { editor, importFile } = await places.openToEdit(place);
        if (!importFile) throw readOnly();
        const { assignments, notes } = await importFile(file);
        return { type: "imported", place, file, edit: editor.assign(assignments), notes };
      });
    },
    export: ({ place, file, isReplacing }) => {
      attempt(options, async () => {
        const { exportFile } = await places.open(place);
        return { type: "exported", place, file, outcome: await exportFile(file, isReplacing) };
      });
    },
    addEnvironment: ({ place, name }) => changeEnvironments(place, (environments) => environments.add(name)),
    rotate: ({ place, grace }) => changeEnvironments(place, (environments) => environments.rotate(grace)),
  };
}
