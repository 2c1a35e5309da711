import { valueText } from "../../domain/variable.js";
import type { Message } from "../state/messages.js";
import type { Copy, WriteValues } from "../state/ports.js";
import { copiedName, copiedText } from "./copied-text.js";
import { attempt, type Performs, type Shared } from "./performing.js";

interface Options extends Shared {
  readonly copy: Copy;
  readonly write: WriteValues;
}

/** Copies values, and decrypts those that are shown. */
export function copying(options: Options): Performs<"copy" | "copyCredentials" | "decrypt"> {
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
