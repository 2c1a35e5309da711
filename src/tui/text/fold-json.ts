import type { JsonValue } from "../../domain/variable.js";

/** A line of pretty-printed JSON; one that stands for a folded object or array has the number of its members, and its end. */
export interface FoldedLine {
  readonly text: string;
  readonly members?: number;
  /** `}` or `]`, with the comma after it. */
  readonly end?: string;
}

/** The value of a text; undefined if it is not JSON, as decrypted text may be. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with an indent of two of which only the first levels are shown: deeper ones are folded. */
export function foldJson(lines: readonly string[], level: number): FoldedLine[] {
  const folded: FoldedLine[] = [];
  let members = 0;
  for (const [index, text] of lines.entries()) {
    const depth = depthOf(text);
    if (depth > level) {
      if (depth === level + 1 && !isEnd(text)) members++;
    } else if (members > 0) {
      const start = folded.pop();
      folded.push({ text: start?.text ?? "", members, end: text.trimStart() });
      members = 0;
    } else {
      folded.push({ text: lines[index] ?? "" });
    }
  }
  return folded;
}

function depthOf(text: string): number {
  return text.search(/[^ ]/) / 2;
}

function isEnd(text: string): boolean {
  return /^ *[}\]]/.test(text);
}
