import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import { type Key, PASTE } from "../state/key.js";

/** How long after an Escape character the rest of an escape sequence can follow. */
const ESCAPE_MS = 50;

/**
 * Calls `onKey` for each key. Uses Node's parser, because ink's joins keys that arrive together and reports Backspace as
 * Delete. Text pasted in brackets (mode 2004) is one key.
 *
 * @param keyboard in raw mode
 * @returns a function to stop
 */
export function listenToKeys(keyboard: NodeJS.ReadableStream, onKey: (key: Key) => void): () => void {
  let pasted: string | undefined;
  const listen = (text: string | undefined, key: Keypress) => {
    if (key.name === "paste-start") {
      pasted = "";
    } else if (key.name === "paste-end") {
      if (pasted) onKey({ name: PASTE, text: pasted.replace(/\r\n?/g, "\n") });
      pasted = undefined;
    } else if (pasted === undefined) {
      const pressed = toKey(text, key);
      if (pressed) onKey(pressed);
    } else {
      pasted += key.sequence ?? text ?? "";
    }
  };
  // Node reads only this number of an interface; its default is half a second.
  emitKeypressEvents(keyboard, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  keyboard.on("keypress", listen);
  return () => void keyboard.off("keypress", listen);
}

const NAMES: Record<string, string> = { return: "enter", enter: "ctrl-j" };

/** Undefined for a key without a name. */
function toKey(text: string | undefined, { name, ctrl, meta, shift }: Keypress): Key | undefined {
  if (text !== undefined && !ctrl && !meta && !/^\p{Cc}/u.test(text)) return { name: text, text };
  if (name === undefined || name === "undefined") return undefined;
  const known = NAMES[name] ?? name;
  // To Node, Escape and the sequences that begin with it are meta keys.
  const prefix = ctrl ? "ctrl-" : meta && known !== "escape" ? "alt-" : shift && known === "tab" ? "shift-" : "";
  return { name: prefix + known, text: "" };
}
