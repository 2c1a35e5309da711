import { shellWord } from "../escape.js";
import type { CommandTable, Offer, Offers } from "./command-table.js";

/** How one shell writes down what is offered in one place. */
interface Shell {
  /** The branch of a `case` or `switch` for these keys. */
  branch(keys: readonly string[], offers: Offers): string;
}

export const SHELL_NAMES = ["bash", "zsh", "fish"] as const;

export type ShellName = (typeof SHELL_NAMES)[number];

const SHELLS: Record<ShellName, Shell> = {
  bash: {
    branch: (keys, { subcommands, flags, kinds, choices }) => {
      const assignments = [
        ...assign("subcommands", subcommands.map(wordOf)),
        ...assign("flags", flags.map(wordOf)),
        ...assign("kinds", kinds),
        ...assign("choices", choices),
      ];
      return `  ${keys.map(quoted).join(" | ")})\n    ${assignments.join(" ") || ":"}\n    ;;\n`;
    },
  },
  zsh: {
    branch: (keys, { subcommands, flags, kinds, choices }) => {
      const assignments = [
        ...assign("subcommands", subcommands.map(described)),
        ...assign("flags", flags.map(described)),
        ...assign("kinds", kinds),
        ...assign("choices", choices.map(escapeColons)),
      ];
      return `  (${keys.map(quoted).join("|")})\n    ${assignments.join("\n    ") || ":"}\n    ;;\n`;
    },
  },
  fish: {
    branch: (keys, { subcommands, flags, kinds, choices }) => {
      const lines = [
        ...set("subcommands", subcommands.map(tabbed)),
        ...set("flags", flags.map(tabbed)),
        ...set("kinds", kinds),
        ...set("choices", choices),
      ];
      return `        case ${keys.map(fishWord).join(" ")}\n${lines.map((line) => `            ${line}\n`).join("")}`;
    },
  },
};

/** The branches that find, for each key of the table, what it offers; one branch for all keys that offer the same. */
export function writeBranches(shell: ShellName, table: CommandTable): string {
  const groups = new Map<string, { keys: string[]; offers: Offers }>();
  for (const [key, offers] of table) {
    const same = JSON.stringify(offers);
    const group = groups.get(same) ?? { keys: [], offers };
    group.keys.push(key);
    groups.set(same, group);
  }
  return [...groups.values()].map(({ keys, offers }) => SHELLS[shell].branch(keys, offers)).join("");
}

/** `name=(word …)`, for bash and zsh. */
function assign(name: string, words: readonly string[]): string[] {
  return words.length > 0 ? [`${name}=(${words.map(shellWord).join(" ")})`] : [];
}

function set(name: string, words: readonly string[]): string[] {
  return words.length > 0 ? [`set ${name} ${words.map(fishWord).join(" ")}`] : [];
}

function wordOf({ word }: Offer): string {
  return word;
}

/** As `_describe` of zsh takes it. */
function described({ word, description }: Offer): string {
  return `${escapeColons(word)}:${description.replaceAll("\\", "\\\\")}`;
}

function escapeColons(word: string): string {
  return word.replace(/[\\:]/g, "\\$&");
}

function tabbed({ word, description }: Offer): string {
  return `${word}\t${description}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Between single quotes of fish only `\'` and `\\` are escapes. */
function fishWord(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
