import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import type { Key } from "./state/message.js";
import { PASTE } from "./state/typed.js";

/** How long after an Escape what comes next may still belong to it, as the codes of arrow keys do. Milliseconds. */
const ESCAPE_MS = 50;

/** The stream of a terminal's keyboard, in raw mode. */
export type Keyboard = NodeJS.ReadableStream;

/**
 * Calls `onKey` for each key. Node's parser is used rather than ink's, which takes keys that come together for one and
 * Backspace for Delete. What is pasted (in brackets, mode 2004) comes as one key with its text.
 *
 * @returns how to stop that
 */
export function listenToKeys(keyboard: Keyboard, onKey: (key: Key) => void): () => void {
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
  // What Node asks of an interface here is this one number; without it an Escape would take half a second.
  emitKeypressEvents(keyboard, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  keyboard.on("keypress", listen);
  return () => void keyboard.off("keypress", listen);
}

const NAMES: Record<string, string> = { return: "enter", enter: "ctrl-j" };

/** A key by its name in messages; undefined for one that has none. */
function toKey(text: string | undefined, { name, ctrl, meta, shift }: Keypress): Key | undefined {
  if (text !== undefined && !ctrl && !meta && !/^\p{Cc}/u.test(text)) return textKey(text);
  if (name === undefined || name === "undefined") return undefined;
  const known = NAMES[name] ?? name;
  // Escape and the codes that begin with it are meta keys to Node.
  const prefix = ctrl ? "ctrl-" : meta && known !== "escape" ? "alt-" : shift && known === "tab" ? "shift-" : "";
  return { name: prefix + known, text: "" };
}

function textKey(text: string): Key {
  return { name: text, text };
}
