import { EventEmitter } from "node:events";
import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { type Key, type Mouse, PASTE } from "../widgets/key.js";

const PASTE_START = "\x1b[200~";
/**
 * A paste in brackets (mode 2004), an event of the mouse (mode 1006), or an answer to a question
 * (OSC).
 */
const SEQUENCE =
  /^(?:\x1b\[200~(?<paste>.*?)\x1b\[201~|\x1b\[<(?<mouse>[\d;]*[A-Za-z])|\x1b\](?<answer>[^\x07\x1b]*)(?:\x07|\x1b\\))/s;
/** The start of one of these, or of a key. */
const UNFINISHED = /^\x1b(?:\[(?:2|20|200|200~.*|<[\d;]*)?|\][^\x07\x1b]*\x1b?)?$/s;
/** Other keys, up to the next Escape character. */
const TO_ESCAPE = /^.[^\x1b]*/s;

/** How long after an Escape character the rest of an escape sequence can follow. */
const ESCAPE_MS = 50;
/** The same after `Esc [`, where a slow line may pause. */
const SEQUENCE_MS = 500;
/** The same for the rest of a paste, which must not become keys. */
const PASTE_MS = 2_000;

interface InputListener {
  readonly onKey: (key: Key) => void;
  readonly onMouse: (mouse: Mouse) => void;
  /** Called with the terminal's answer to an OSC question. */
  readonly onAnswer: (answer: string) => void;
}

/**
 * Reports the input from a terminal, in which pastes, events and answers can come in any number of
 * chunks. Keys are left to Node's parser, because ink's joins keys that arrive together and reports
 * Backspace as Delete. A pasted text is one key.
 *
 * @param keyboard in raw mode
 * @returns a function to stop
 */
export function listenToInput(
  keyboard: NodeJS.ReadableStream,
  listener: InputListener,
): () => void {
  const decoder = new StringDecoder("utf8");
  const keys = new EventEmitter();
  // Node reads only this number of an interface. By default it waits half a second after Escape;
  // here we have waited.
  emitKeypressEvents(
    keys as NodeJS.ReadableStream,
    { escapeCodeTimeout: 0 } as unknown as Interface,
  );
  keys.on("keypress", (text: string | undefined, key: Keypress) => {
    const pressed = toKey(text, key);
    if (pressed) listener.onKey(pressed);
  });
  let held = "";
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    if (held === "\x1b") keys.emit("data", held);
    if (held.startsWith(PASTE_START)) report({ paste: held.slice(PASTE_START.length) }, listener);
    held = "";
  };
  const listen = (chunk: Buffer | string) => {
    clearTimeout(timer);
    held += typeof chunk === "string" ? chunk : decoder.write(chunk);
    for (let taken = "", rest = held; rest !== ""; rest = held = rest.slice(taken.length)) {
      const sequence = SEQUENCE.exec(rest);
      if (!sequence && UNFINISHED.test(rest)) break;
      taken = (sequence ?? TO_ESCAPE.exec(rest))?.[0] ?? rest;
      if (sequence) report(sequence.groups ?? {}, listener);
      else keys.emit("data", taken);
    }
    if (held !== "")
      timer = setTimeout(
        giveUp,
        held === "\x1b" ? ESCAPE_MS : held.startsWith(PASTE_START) ? PASTE_MS : SEQUENCE_MS,
      );
  };
  keyboard.on("data", listen);
  return () => {
    clearTimeout(timer);
    keyboard.off("data", listen);
  };
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

/** Undefined for other buttons and keys held down, for a release, and for anything else. */
function parseMouse(event = ""): Mouse | undefined {
  const [, button = "", column, row] = /^(\d+);([1-9]\d*);([1-9]\d*)M$/.exec(event) ?? [];
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
  const prefix = ctrl
    ? "ctrl-"
    : meta && known !== "escape"
      ? "alt-"
      : shift && known === "tab"
        ? "shift-"
        : "";
  return { name: prefix + known, text: "" };
}
