import { DocumentSession } from "./document-session.js";
import { type CodeBlock, type Command, parseDocument } from "./parse-document.js";

/** Text that differs from run to run, and its replacement in documents. Nothing else may differ. */
const VARIABLE_TEXT: [RegExp, string][] = [
  // Times, and how long something took or lasts.
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, "2026-01-31T12:00:00.000Z"],
  [/\b\d\d:\d\d:\d\d\b/g, "12:00:00"],
  [/\b(in|up|next|from|within) \d+(\.\d+)? (ms|s)\b/g, "$1 4 $3"],
  [/\bclock is \d+ s\b/g, "clock is 400 s"],
  [/"uptime":[\d.]+/g, '"uptime":4'],
  // Random keys and secrets.
  [/\b[0-9a-f]{32}\b/g, "708f46397fdf8f7a83b7a616b6662204"],
  [/(?<=\(secret |"credentials":")[0-9a-f]{4}\b/g, "5c1f"],
  [/(?<==)[0-9a-f]{64}\b/g, "c5c4fe30da4d15a744d62e52d804811b93b23908d8fbba57eb7b35279a9407dd"],
];

export interface CheckedDocument {
  /** The commands whose output differs from the document, with both outputs. */
  problems: { line: number; command: string; shown: string[]; printed: string[] }[];
  /** The document with the output of the commands. */
  rewritten: string;
}

/**
 * Runs the console blocks of a Markdown document in one shell, in an empty folder with an empty
 * home.
 */
export async function checkDocument(markdown: string): Promise<CheckedDocument> {
  const printed = await runCommands(parseDocument(markdown));
  const differing = [...printed].filter(
    ([{ output }, lines]) => output.map(settle).join("\n") !== lines.join("\n"),
  );
  const lines = markdown.split("\n");
  // Replace from last to first, because each replacement moves the lines after it.
  for (const [{ bodyStart, output }, actual] of differing.toReversed())
    lines.splice(bodyStart, output.length, ...actual);
  return {
    problems: differing.map(([{ line, text, output }, actual]) => ({
      line,
      command: text,
      shown: output,
      printed: actual,
    })),
    rewritten: lines.join("\n"),
  };
}

async function runCommands(
  parts: readonly (Command | CodeBlock)[],
): Promise<Map<Command, string[]>> {
  const printed = new Map<Command, string[]>();
  if (!parts.some(({ kind }) => kind === "command")) return printed;
  const usesEtcd = parts.some((part) => part.kind === "command" && part.text.startsWith("etcd "));
  const session = await DocumentSession.open({ usesEtcd });
  try {
    for (const part of parts) {
      if (part.kind === "command") printed.set(part, (await session.run(part)).map(settle));
      else if (part.file !== undefined) await session.writeFile(part.file, part.text);
    }
  } finally {
    await session.close();
  }
  return printed;
}

function settle(line: string): string {
  return VARIABLE_TEXT.reduce((text, [pattern, shown]) => text.replace(pattern, shown), line);
}
