import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { type Key, type Mouse, PASTE } from "../widgets/key.js";
import { parseColor, type Rgb } from "./background.js";

/** A part of the input from a terminal. Only `keys` is left to Node's parser, which knows none of the others. */
type InputPart =
  | { readonly type: "keys"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "mouse"; readonly mouse: Mouse }
  | { readonly type: "background"; readonly color: Rgb };

const ESCAPE = "\x1b";
const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Begins an event of the mouse (mode 1006). */
const MOUSE = "\x1b[<";
/** Begins one in the old form, of three more characters, from a terminal that does not know mode 1006. */
const OLD_MOUSE = "\x1b[M";
const OLD_MOUSE_LENGTH = 6;
/** Begins the answer to the question for the color of the background (OSC 11). */
const BACKGROUND = "\x1b]11;";
const STARTS = [PASTE_START, MOUSE, OLD_MOUSE, BACKGROUND];

/** What all of these and most keys begin with. Alone, it would take the next key as its end. */
const UNFINISHED = "\x1b[";

/** How long after an Escape character the rest of an escape sequence can follow. */
const ESCAPE_MS = 50;
/** The same after `Esc [`, and for the rest of a paste, which must not become keys on a slow line. */
const UNFINISHED_MS = 2_000;

/** More than any event or answer has. A longer one is dropped. */
const MAX_SEQUENCE = 64;

/**
 * Separates pastes, events of the mouse and answers of the terminal from keys. A sequence can come in any number of
 * chunks. One that begins like an event or an answer never becomes a key or text; in a paste, it is text.
 */
class InputParser {
  /** The start of a sequence whose rest has not arrived. */
  #held = "";
  #pasted: string | undefined;

  /** How long the rest of the input can take, in milliseconds; undefined if nothing is to be given up. */
  get patience(): number | undefined {
    if (this.#pasted !== undefined || this.#held === UNFINISHED) return UNFINISHED_MS;
    const isKeys = this.#held === ESCAPE || (this.#held.startsWith("\x1b]") && !this.#held.startsWith(BACKGROUND));
    return isKeys ? ESCAPE_MS : undefined;
  }

  /** Gives up waiting. A paste ends; the held input is the Escape key, or Alt and `]`, or no key. */
  release(): InputPart[] {
    const [held, pasted] = [this.#held, this.#pasted];
    this.#held = "";
    this.#pasted = undefined;
    if (pasted !== undefined) return [{ type: "paste", text: pasted + held }];
    return held === UNFINISHED ? [] : [{ type: "keys", text: held }];
  }

  parse(chunk: string): InputPart[] {
    const parts: InputPart[] = [];
    let rest = this.#held + chunk;
    this.#held = "";
    while (rest !== "") {
      const [length, part] = this.#pasted === undefined ? this.#next(rest) : this.#nextPasted(this.#pasted, rest);
      if (length === undefined) break;
      if (part) addPart(parts, part);
      rest = rest.slice(length);
    }
    return parts;
  }

  #next(rest: string): Next {
    const start = rest.indexOf(ESCAPE);
    if (start !== 0) return keys(start < 0 ? rest : rest.slice(0, start));
    if (rest.startsWith(PASTE_START)) {
      this.#pasted = "";
      return [PASTE_START.length];
    }
    const length = sequenceLength(rest);
    if (length === 0) return keys(ESCAPE);
    if (length === undefined) this.#held = shortened(rest);
    return length === undefined ? [length] : [length, parseSequence(rest.slice(0, length))];
  }

  #nextPasted(pasted: string, rest: string): Next {
    const end = rest.indexOf(PASTE_END);
    if (end >= 0) {
      this.#pasted = undefined;
      return [end + PASTE_END.length, { type: "paste", text: pasted + rest.slice(0, end) }];
    }
    const kept = rest.length - partLength(rest, PASTE_END);
    this.#pasted = pasted + rest.slice(0, kept);
    this.#held = rest.slice(kept);
    return [undefined];
  }
}

/** The first part of a text, and its length, which is undefined if the end is missing. */
type Next = readonly [length: number | undefined, part?: InputPart | undefined];

function keys(text: string): Next {
  return [text.length, { type: "keys", text }];
}

/** Keys that arrive together stay together: an Escape alone would wait for more. */
function addPart(parts: InputPart[], part: InputPart): void {
  const last = parts.at(-1);
  if (part.type !== "keys" || last?.type !== "keys") parts.push(part);
  else parts[parts.length - 1] = { type: "keys", text: last.text + part.text };
}

/** The bytes inside a sequence, and those that end it. */
const FORMS = [
  { start: MOUSE, content: /^\x1b\[<[\x20-\x3f]*/, end: /^[\x40-\x7e]/ },
  { start: BACKGROUND, content: /^\x1b\][\x20-\x7e]*/, end: /^(?:\x07|\x1b\\)/ },
];

/** Length of the event or answer that a text begins with: 0 if it begins with a key, undefined if its end is missing. */
function sequenceLength(text: string): number | undefined {
  if (text.startsWith(OLD_MOUSE)) return text.length < OLD_MOUSE_LENGTH ? undefined : OLD_MOUSE_LENGTH;
  const form = FORMS.find(({ start }) => text.startsWith(start));
  if (!form) return STARTS.some((start) => start.startsWith(text)) ? undefined : 0;
  const { content, end } = form;
  const body = content.exec(text)?.[0].length ?? 0;
  const rest = text.slice(body);
  // A character that can't be in it ends it, and is a key of its own.
  return rest === "" || rest === ESCAPE ? undefined : body + (end.exec(rest)?.[0].length ?? 0);
}

function parseSequence(sequence: string): InputPart | undefined {
  if (sequence.startsWith(MOUSE)) {
    const mouse = parseMouse(sequence);
    return mouse && { type: "mouse", mouse };
  }
  const color = sequence.startsWith(BACKGROUND) ? parseColor(sequence.slice(BACKGROUND.length)) : undefined;
  return color && { type: "background", color };
}

const ACTIONS: Readonly<Record<string, Mouse["action"]>> = { 0: "press", 64: "wheel-up", 65: "wheel-down" };

/** Undefined for other buttons and keys held down, for a release, and for a malformed event. */
function parseMouse(sequence: string): Mouse | undefined {
  const [, button = "", column, row] = /^\x1b\[<(\d{1,3});([1-9]\d{0,3});([1-9]\d{0,3})M$/.exec(sequence) ?? [];
  const action = ACTIONS[button];
  return action && { action, column: Number(column) - 1, row: Number(row) - 1 };
}

/** Of an endless sequence only as much as shows that it is none. */
function shortened(sequence: string): string {
  if (sequence.length <= MAX_SEQUENCE) return sequence;
  return `${sequence.startsWith(MOUSE) ? MOUSE : BACKGROUND}?`;
}

/** How many characters at the end of a text can be the start of `sequence`. */
function partLength(text: string, sequence: string): number {
  for (let length = Math.min(sequence.length - 1, text.length); length > 0; length--) {
    if (sequence.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

interface InputListener {
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
    const { patience } = parser;
    if (patience !== undefined) timer = setTimeout(() => parser.release().forEach(report), patience);
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
