import type { JsonValue } from "../../src/kit/text/strict-json.js";

/**
 * The literals of the HCL native syntax specification that a .tfvars file may hold, read strictly:
 * a template, a raw control character or an unknown escape is an error.
 */
export function readTfvars(text: string): Record<string, JsonValue> {
  const entries: [string, JsonValue][] = [];
  let rest = text;

  function take(pattern: RegExp): RegExpExecArray | undefined {
    const match = new RegExp(`^[ ]*(?:${pattern.source})`).exec(rest) ?? undefined;
    if (match) rest = rest.slice(match[0].length);
    return match;
  }
  function must(pattern: RegExp): RegExpExecArray {
    const match = take(pattern);
    if (!match) throw new Error(`${pattern} expected at ${text.length - rest.length}`);
    return match;
  }
  function list<T>(close: RegExp, item: () => T): T[] {
    const items: T[] = [];
    while (!take(close)) {
      if (items.length > 0) must(/,/);
      items.push(item());
    }
    return items;
  }
  function string(): string {
    return unquote(must(/"((?:\\[^\n]|[^"\\\n])*)"/)[1] ?? "");
  }
  function value(): JsonValue {
    if (take(/\[/)) return list(/\]/, value);
    if (take(/\{/)) return Object.fromEntries(list(/\}/, () => [string(), must(/=/) && value()]));
    if (/^ *"/.test(rest)) return string();
    const word = must(/-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/)[0];
    return JSON.parse(word);
  }

  while (rest !== "") {
    entries.push([must(/([A-Za-z_][A-Za-z0-9_-]*) =/)[1] ?? "", value()]);
    must(/\n/);
  }
  return Object.fromEntries(entries);
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

function unquote(source: string): string {
  if (/[\x00-\x1f]/.test(source)) throw new Error("raw control character");
  const token = /\\u([0-9a-f]{4})|\\([nrt"\\])|\$\$\{|%%\{|\$\{|%\{|\\|[\s\S]/g;
  return source.replace(token, (match, hex: string | undefined, letter: string | undefined) => {
    if (hex) return String.fromCharCode(Number.parseInt(hex, 16));
    if (letter) return ESCAPES[letter] ?? "";
    if (match === "$${" || match === "%%{") return match.slice(1);
    if (match.endsWith("{") && match !== "{") throw new Error("a template");
    if (match === "\\") throw new Error("unknown escape");
    return match;
  });
}
