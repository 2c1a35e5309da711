import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { type Key, type Mouse, PASTE } from "../widgets/key.js";
import { parseColor, type Rgb } from "./background.js";

const PASTE_START = "\x1b[200~";
/** A text pasted in brackets (mode 2004). */
const PASTED = /^\x1b\[200~(.*?)\x1b\[201~/s;
/**
 * An event of the mouse (mode 1006, or the old form of three more characters), or the answer to the question for the color
 * of the background (OSC 11). A character that can't be in it ends it, and is a key of its own.
 */
const EVENT =
  /^(?:\x1b\[M.{3}|\x1b\[<[\x20-\x3f]*(?:[\x40-\x7e]|(?=[^\x20-\x7e]))|\x1b\]11;[\x20-\x7e]*(?:\x07|\x1b\\|(?=[^\x1b\x20-\x7e]|\x1b[^\\])))/s;
/** The start of one of these; tested where the text begins with none of them. */
const UNFINISHED = /^\x1b(?:$|\[(?:(?:|2|20|200)$|200~|M|<)|\](?:(?:|1|11)$|11;))/;
/** Other keys, up to the next Escape character. */
const TO_ESCAPE = /^.[^\x1b]*/s;
/** Such a start that is the Escape key, or Alt and `]`, unless more follows at once. */
const KEYS = /^\x1b(?:\]1{0,2})?$/;

/** How long after an Escape character the rest of an escape sequence can follow. */
const ESCAPE_MS = 50;
/** The same after `Esc [`, and for the rest of a paste, which must not become keys on a slow line. */
const UNFINISHED_MS = 2_000;

interface InputListener {
  readonly onKey: (key: Key) => void;
  readonly onMouse: (mouse: Mouse) => void;
  /** Called with the color of the terminal's background, when it answers. */
  readonly onBackground: (color: Rgb) => void;
}

/**
 * Reports the input from a terminal, in which pastes, events and answers can come in any number of chunks. Keys are left to
 * Node's parser, because ink's joins keys that arrive together and reports Backspace as Delete. A pasted text is one key.
 *
 * @param keyboard in raw mode
 * @returns a function to stop
 */
export function listenToInput(keyboard: NodeJS.ReadableStream, listener: InputListener): () => void {
  const decoder = new StringDecoder("utf8");
  const keys = new EventEmitter();
  // Node reads only this number of an interface. By default it waits half a second after Escape; here we have waited.
  emitKeypressEvents(keys as NodeJS.ReadableStream, { escapeCodeTimeout: 0 } as unknown as Interface);
  keys.on("keypress", (text: string | undefined, key: Keypress) => {
    const pressed = toKey(text, key);
    if (pressed) listener.onKey(pressed);
  });
  const paste = (text: string) => {
    if (text !== "") listener.onKey({ name: PASTE, text: text.replace(/\r\n?/g, "\n") });
  };
  let held = "";
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    if (held.startsWith(PASTE_START)) paste(held.slice(PASTE_START.length));
    else if (KEYS.test(held)) keys.emit("data", held);
    held = "";
  };
  /** Takes the first part of a text, and returns its length; 0 if its end is missing. */
  const take = (text: string): number => {
    const [pasted, content = ""] = PASTED.exec(text) ?? [];
    const [event] = EVENT.exec(text) ?? [];
    const [typed = ""] = TO_ESCAPE.exec(text) ?? [];
    if (pasted !== undefined) paste(content);
    else if (event !== undefined) reportEvent(event, listener);
    else if (UNFINISHED.test(text)) return 0;
    else keys.emit("data", typed);
    return (pasted ?? event ?? typed).length;
  };
  const listen = (chunk: Buffer | string) => {
    clearTimeout(timer);
    held += typeof chunk === "string" ? chunk : decoder.write(chunk);
    for (let length = -1; held !== "" && length !== 0; held = held.slice(length)) length = take(held);
    if (held !== "") timer = setTimeout(giveUp, KEYS.test(held) ? ESCAPE_MS : UNFINISHED_MS);
  };
  keyboard.on("data", listen);
  return () => {
    clearTimeout(timer);
    keyboard.off("data", listen);
  };
}

/** Nothing is reported for a malformed event or answer: it never becomes a key or text. */
function reportEvent(event: string, { onMouse, onBackground }: InputListener): void {
  const mouse = parseMouse(event);
  const color = parseColor(event);
  if (mouse) onMouse(mouse);
  if (color) onBackground(color);
}

const ACTIONS: Readonly<Record<string, Mouse["action"]>> = { 0: "press", 64: "wheel-up", 65: "wheel-down" };

/** Undefined for other buttons and keys held down, for a release, and for anything else. */
function parseMouse(sequence: string): Mouse | undefined {
  const [, button = "", column, row] = /^\x1b\[<(\d{1,3});([1-9]\d{0,3});([1-9]\d{0,3})M$/.exec(sequence) ?? [];
  const action = ACTIONS[button];
  return action && { action, column: Number(column) - 1, row: Number(row) - 1 };
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
