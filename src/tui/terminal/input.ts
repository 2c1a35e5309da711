import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { type Key, type Mouse, PASTE } from "../widgets/key.js";

const PASTE_START = "\x1b[200~";
/**
 * A bracketed paste (mode 2004), a mouse event (mode 1006), or the reply to a
 * query (OSC).
 */
const SEQUENCE =
  /^(?:\x1b\[200~(?<paste>.*?)\x1b\[201~|\x1b\[<(?<mouse>[\d;]*[A-Za-z])|\x1b\](?<answer>[^\x07\x1b]*)(?:\x07|\x1b\\))/s;
/** The start of such a sequence or of a key. */
const UNFINISHED = /^\x1b(?:\[(?:2|20|200|200~.*|<[\d;]*)?|\][^\x07\x1b]*\x1b?)?$/s;
/** Other keys, up to the next Escape character. */
const TO_ESCAPE = /^.[^\x1b]*/s;

/** How long to wait for the rest of a sequence after Escape. */
const ESCAPE_MS = 50;
/** The wait after `Esc [`: a slow connection may pause there. */
const SEQUENCE_MS = 500;
/** The wait in a paste, which must not be taken as keys. */
const PASTE_MS = 2_000;

interface InputListener {
  readonly onKey: (key: Key) => void;
  readonly onMouse: (mouse: Mouse) => void;
  /** Called with the reply to an OSC query. */
  readonly onAnswer: (answer: string) => void;
}

/**
 * Reports terminal input. Pastes, mouse events and replies can arrive in any
 * number of chunks. A pasted text is one key.
 *
 * @param keyboard a stream in raw mode
 * @returns a function that stops listening
 */
export function listenToInput(
  keyboard: NodeJS.ReadableStream,
  listener: InputListener,
): () => void {
  const decoder = new StringDecoder("utf8");
  const parseKeys = keyParser(listener);
  /** The start of an unfinished sequence. */
  let rest = "";
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    if (rest === "\x1b") parseKeys(rest);
    if (rest.startsWith(PASTE_START)) report({ paste: rest.slice(PASTE_START.length) }, listener);
    rest = "";
  };
  const read = (chunk: Buffer | string) => {
    clearTimeout(timer);
    rest += typeof chunk === "string" ? chunk : decoder.write(chunk);
    while (rest !== "") {
      const sequence = SEQUENCE.exec(rest);
      if (!sequence && UNFINISHED.test(rest)) break;
      const [text] = sequence ?? TO_ESCAPE.exec(rest) ?? [rest];
      rest = rest.slice(text.length);
      if (sequence) report(sequence.groups ?? {}, listener);
      else parseKeys(text);
    }
    if (rest !== "") timer = setTimeout(giveUp, waitFor(rest));
  };
  keyboard.on("data", read);
  return () => {
    clearTimeout(timer);
    keyboard.off("data", read);
  };
}

/**
 * Node's parser, because ink's parser joins keys that arrive together and
 * reports Backspace as Delete.
 */
function keyParser({ onKey }: InputListener): (text: string) => void {
  const keys = new EventEmitter();
  // Node uses only this property of the interface. Its default timeout is half
  // a second after Escape, but we have already waited.
  const options = { escapeCodeTimeout: 0 } as unknown as Interface;
  emitKeypressEvents(keys as NodeJS.ReadableStream, options);
  keys.on("keypress", (text: string | undefined, key: Keypress) => {
    const pressed = toKey(text, key);
    if (pressed) onKey(pressed);
  });
  return (text) => void keys.emit("data", text);
}

function waitFor(rest: string): number {
  if (rest === "\x1b") return ESCAPE_MS;
  return rest.startsWith(PASTE_START) ? PASTE_MS : SEQUENCE_MS;
}

function report(
  { paste, mouse, answer }: Record<string, string | undefined>,
  listener: InputListener,
): void {
  const event = parseMouse(mouse);
  if (paste) listener.onKey({ name: PASTE, text: paste.replace(/\r\n?/g, "\n") });
  if (event) listener.onMouse(event);
  if (answer !== undefined) listener.onAnswer(answer);
}

const ACTIONS: Readonly<Record<string, Mouse["action"]>> = {
  0: "press",
  64: "wheel-up",
  65: "wheel-down",
};

/** Returns `undefined` for anything but a plain left click or the wheel. */
function parseMouse(event = ""): Mouse | undefined {
  const [, button = "", column, row] = /^(\d+);([1-9]\d*);([1-9]\d*)M$/.exec(event) ?? [];
  const action = ACTIONS[button];
  return action && { action, column: Number(column) - 1, row: Number(row) - 1 };
}

const NAMES: Record<string, string> = { return: "enter", enter: "ctrl-j" };

/** Returns `undefined` for a key without a name. */
function toKey(text: string | undefined, { name, ctrl, meta, shift }: Keypress): Key | undefined {
  if (text !== undefined && !ctrl && !meta && !/^\p{Cc}/u.test(text)) return { name: text, text };
  if (name === undefined || name === "undefined") return undefined;
  const plain = NAMES[name] ?? name;
  // Node reports Escape, and every sequence that begins with it, as a meta key.
  const prefix = ctrl
    ? "ctrl-"
    : meta && plain !== "escape"
      ? "alt-"
      : shift && plain === "tab"
        ? "shift-"
        : "";
  return { name: prefix + plain, text: "" };
}
