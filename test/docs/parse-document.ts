/** One command of a console block, and the output that the document shows for it. */
export interface Command {
  kind: "command";
  text: string;
  /** The number of its first line, counting from 1. */
  line: number;
  /** The index of the first line of its output, counting from 0. */
  bodyStart: number;
  output: string[];
}

/** A code block in another language. */
export interface CodeBlock {
  kind: "code";
  language: string;
  text: string;
  line: number;
  /**
   * The name of the file that the block shows, if the line before the block ends with `` `NAME`:
   * ``.
   */
  file?: string;
}

/** Returns the commands and the code blocks of a Markdown document, in order. */
export function parseDocument(markdown: string): (Command | CodeBlock)[] {
  const lines = markdown.split("\n");
  const parts: (Command | CodeBlock)[] = [];
  for (let start = 0; start < lines.length; start++) {
    const language = /^```(\w*)$/.exec(lines[start] ?? "")?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf("```", start + 1);
    if (end < 0) throw new Error(`line ${start + 1}: the code block has no end`);
    if (language === "console") parts.push(...parseCommands(lines, start + 1, end));
    else
      parts.push({
        kind: "code",
        language,
        text: textOf(lines, start, end),
        line: start + 1,
        ...fileOf(lines, start),
      });
    start = end;
  }
  return parts;
}

/**
 * A command begins with `$ ` and continues while its lines end with a backslash. Its output
 * follows.
 */
function parseCommands(lines: readonly string[], start: number, end: number): Command[] {
  const commands: Command[] = [];
  for (let index = start; index < end; ) {
    if (!lines[index]?.startsWith("$ "))
      throw new Error(`line ${index + 1}: output that belongs to no command`);
    let bodyStart = index + 1;
    while (bodyStart < end && lines[bodyStart - 1]?.endsWith("\\")) bodyStart++;
    let bodyEnd = bodyStart;
    while (bodyEnd < end && !lines[bodyEnd]?.startsWith("$ ")) bodyEnd++;
    const text = lines.slice(index, bodyStart).join("\n").slice(2);
    commands.push({
      kind: "command",
      text,
      line: index + 1,
      bodyStart,
      output: lines.slice(bodyStart, bodyEnd),
    });
    index = bodyEnd;
  }
  return commands;
}

function textOf(lines: readonly string[], start: number, end: number): string {
  return `${lines.slice(start + 1, end).join("\n")}\n`;
}

function fileOf(lines: readonly string[], start: number): { file?: string } {
  const file = /`([\w.-]+)`:$/.exec(
    lines.slice(0, start).findLast((line) => line !== "") ?? "",
  )?.[1];
  return file === undefined ? {} : { file };
}
