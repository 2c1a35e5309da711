import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { type Key, PASTE } from "../input/key.js";
import type { Mouse } from "../input/mouse.js";
import type { Rgb } from "./background.js";
import { InputParser, type InputPart } from "./input-parser.js";

/** How long after an Escape character the rest of an escape sequence can follow. */
const ESCAPE_MS = 50;

export interface InputListener {
  readonly onKey: (key: Key) => void;
  readonly onMouse: (mouse: Mouse) => void;
  /** Called with the color of the terminal's background, when it answers. */
  readonly onBackground: (color: Rgb) => void;
}

/**
 * Reports the input from a terminal. Keys are left to Node's parser, because ink's joins keys that arrive together and
 * reports Backspace as Delete. Text pasted in brackets (mode 2004) is one key.
 *
 * @param keyboard in raw mode
 * @returns a function to stop
 */
export function listenToInput(keyboard: NodeJS.ReadableStream, listener: InputListener): () => void {
  const { onKey, onMouse, onBackground } = listener;
  const decoder = new StringDecoder("utf8");
  const parser = new InputParser();
  const keys = new EventEmitter();
  // Node reads only this number of an interface. By default it waits half a second after Escape; here we have waited.
  emitKeypressEvents(keys as NodeJS.ReadableStream, { escapeCodeTimeout: 0 } as unknown as Interface);
  keys.on("keypress", (text: string | undefined, key: Keypress) => {
    const pressed = toKey(text, key);
    if (pressed) onKey(pressed);
  });
  const report = (part: InputPart) => {
    if (part.type === "keys") keys.emit("data", part.text);
    else if (part.type === "mouse") onMouse(part.mouse);
    else if (part.type === "background") onBackground(part.color);
    else if (part.text !== "") onKey({ name: PASTE, text: part.text.replace(/\r\n?/g, "\n") });
  };
  let timer: NodeJS.Timeout | undefined;
  const listen = (chunk: Buffer | string) => {
    clearTimeout(timer);
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    for (const part of parser.parse(text)) report(part);
    if (parser.isWaiting) timer = setTimeout(() => parser.release().forEach(report), ESCAPE_MS);
  };
  keyboard.on("data", listen);
  return () => {
    clearTimeout(timer);
    keyboard.off("data", listen);
  };
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
