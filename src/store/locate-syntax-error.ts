import type { ParseError } from "jsonc-parser";

/** Where and how `text` stops being JSON: `line 3, column 5: comma expected`. It never quotes the text. */
export async function locateSyntaxError(text: string): Promise<string> {
  // Loaded here: only a broken file needs it.
  const { default: jsonc } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  try {
    jsonc.parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // It recurses, so brackets nested deeply enough exhaust the stack.
  }
  const [first] = errors;
  if (first === undefined) return "it can't be parsed";
  const before = text.slice(0, first.offset).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return `line ${before.length}, column ${column}: ${inWords(jsonc.printParseErrorCode(first.error))}`;
}

/** `CloseBraceExpected` -> `close brace expected` */
function inWords(errorCode: string): string {
  return errorCode.replace(/(?<!^)[A-Z]/g, " $&").toLowerCase();
}
