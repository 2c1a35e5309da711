import { type ExpectedLine, type Line, startsStep } from "./parse-script.js";

interface Placeholder {
  /** The text that it matches. */
  matches: RegExp;
  /** The part of a rewritten line that becomes this placeholder. */
  replaces: RegExp;
}

const hex = (digits: number): Placeholder => ({
  matches: new RegExp(`[0-9a-f]{${digits}}`),
  replaces: new RegExp(`(?<![0-9a-f])[0-9a-f]{${digits}}(?![0-9a-f])`, "g"),
});

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The placeholders of expected lines, besides `<folder>`. */
const PLACEHOLDERS: Record<string, Placeholder> = {
  tab: { matches: /\t/, replaces: /\t/g },
  esc: { matches: /\x1b/, replaces: /\x1b/g },
  uuid: { matches: UUID, replaces: new RegExp(UUID, "g") },
  hex64: hex(64),
  hex32: hex(32),
  time: { matches: TIME, replaces: new RegExp(TIME, "g") },
  clock: { matches: /\d\d:\d\d:\d\d/, replaces: /^\d\d:\d\d:\d\d(?= )/g },
  // A port that the system picks has five digits.
  port: { matches: /\d{1,5}/, replaces: /(?<=127\.0\.0\.1:)\d{5}(?!\d)/g },
  number: {
    matches: /\d+(?:\.\d+)?/,
    replaces: /(?<= in )\d+(?:\.\d+)?(?= ms(?:,|$))|(?<=clock is )\d+(?= s )/g,
  },
  version: { matches: /\d+\.\d+\.\d+/, replaces: /^\d+\.\d+\.\d+$/g },
};

const NAMES = new RegExp(`<(${Object.keys(PLACEHOLDERS).join("|")}|folder)>`);

/** @param folder the script's folder, which `<folder>` stands for */
export function matchesLine(expected: ExpectedLine, actual: Line, folder: string): boolean {
  if (expected.stream !== actual.stream) return false;
  if (expected.literal) return expected.text === actual.text;
  // Every second part is the name of a placeholder.
  const parts = expected.text.split(NAMES).map((part, i) => {
    if (i % 2 === 0) return escapePattern(part);
    return PLACEHOLDERS[part]?.matches.source ?? escapePattern(folder);
  });
  return new RegExp(`^${parts.join("")}$`).test(actual.text);
}

/**
 * The line of a script that expects this, with placeholders for text that differs from run to run.
 */
export function writeLine({ stream, text }: Line, folder: string): string {
  if (stream === "exit") return `[${text}]`;
  const marker = stream === "stderr" ? (text === "" ? "!" : "! ") : "";
  const isMistakable = text.startsWith("\\") || (stream === "stdout" && hasMarker(text));
  if (isMistakable || NAMES.test(text)) return `${marker}\\${text}`;
  const written = Object.entries(PLACEHOLDERS).reduce(
    (line, [name, { replaces }]) => line.replace(replaces, `<${name}>`),
    text.replaceAll(folder, "<folder>"),
  );
  return marker + written;
}

function hasMarker(text: string): boolean {
  return startsStep(text) || /^(?:[#!]|>(?: |$)|\[\d+\]$|-- \S+ --$)/.test(text);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
