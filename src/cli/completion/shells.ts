import { quoteForShell, shellWord } from "../../kit/text/shell.js";
import type { CommandTable, Offer, Offers } from "./command-table.js";

/** How the script of a shell writes offers. */
interface Shell {
  offer(offer: Offer): string;
  choice(word: string): string;
  assign(name: string, words: readonly string[]): string;
  /** The branch of a `case` or `switch` for these keys. */
  branch(keys: readonly string[], assignments: readonly string[]): string;
}

export const SHELL_NAMES = ["bash", "zsh", "fish"] as const;

export type ShellName = (typeof SHELL_NAMES)[number];

const SHELLS: Record<ShellName, Shell> = {
  bash: {
    offer: ({ word }) => word,
    choice: (word) => word,
    assign: assignList,
    branch: (keys, lines) =>
      `  ${keys.map(quoteForShell).join(" | ")})\n    ${lines.join(" ") || ":"}\n    ;;\n`,
  },
  // `_describe` splits its words at colons.
  zsh: {
    offer: ({ word, description }) =>
      `${escapeColons(word)}:${description.replaceAll("\\", "\\\\")}`,
    choice: escapeColons,
    assign: assignList,
    branch: (keys, lines) =>
      `  (${keys.map(quoteForShell).join("|")})\n    ${lines.join("\n    ") || ":"}\n    ;;\n`,
  },
  fish: {
    offer: ({ word, description }) => `${word}\t${description}`,
    choice: (word) => word,
    assign: (name, words) => `set ${name} ${words.map(fishWord).join(" ")}`,
    branch: (keys, lines) =>
      [
        `        case ${keys.map(fishWord).join(" ")}`,
        ...lines.map((line) => `            ${line}`),
        "",
      ].join("\n"),
  },
};

/** The branches that find the offers of a key; equal offers share a branch. */
export function writeBranches(shell: ShellName, table: CommandTable): string {
  const keysByOffers = new Map<string, string[]>();
  for (const [key, offers] of table) {
    const text = JSON.stringify(offers);
    keysByOffers.set(text, [...(keysByOffers.get(text) ?? []), key]);
  }
  return [...keysByOffers]
    .map(([text, keys]) => SHELLS[shell].branch(keys, assignments(SHELLS[shell], JSON.parse(text))))
    .join("");
}

function assignments(
  { offer, choice, assign }: Shell,
  { subcommands, flags, kinds, choices }: Offers,
): string[] {
  const lists = {
    subcommands: subcommands.map(offer),
    flags: flags.map(offer),
    kinds,
    choices: choices.map(choice),
  };
  return Object.entries(lists).flatMap(([name, words]) =>
    words.length > 0 ? [assign(name, words)] : [],
  );
}

function assignList(name: string, words: readonly string[]): string {
  return `${name}=(${words.map(shellWord).join(" ")})`;
}

function escapeColons(word: string): string {
  return word.replace(/[\\:]/g, "\\$&");
}

/** Quotes a word for fish, whose only escapes in quotes are `\'` and `\\`. */
function fishWord(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
