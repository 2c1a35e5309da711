// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files
import {
  type DotenvAssignment,
  type Expand,
  expandPlain,
  fill,
  limited,
  throwUnresolved,
} from "./dotenv-references.js";
import type { DotenvProgram } from "./reader.js";

/** The rules of a program. All patterns except the escapes are sticky. */
interface Dialect {
  /** Matches blanks or a comment between assignments. */
  gap: RegExp;
  /** Matches everything before the value; the group is the name. */
  head: RegExp;
  /** The patterns of a value; the groups are the quote and the text. */
  values: readonly RegExp[];
  /** Must match after the value. */
  end: RegExp;
  /** Whether several values without a blank are one, as in a shell. */
  isWord?: true;
  /** Whether a carriage return becomes a newline. */
  isNormalized?: true;
  /**
   * The escapes by quote. The group is a character or an octal number. A match
   * without a group is a literal dollar sign.
   */
  escapes: Readonly<Record<string, RegExp>>;
  /** The keys of `CONTROLS` that are escapes here. */
  controls: string;
  /** The quotes between which nothing is expanded. */
  literal: string;
  /** Replaces references. `$$` in its input is a literal dollar sign. */
  expand?: Expand;
}

const CONTROLS: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  // In a shell, the line continues.
  "\n": "",
};

const LINES = {
  gap: /\s+|#[^\n]*/y,
  head: /(?:export\s+)?([^\s=:#'"]+)[^\S\n]*[=:][^\S\n]*/y,
  values: [/(['"])((?:\\[\s\S]|(?!\1)[^\\])*)\1/y, /(?!['"])()((?:(?! #)[^\n])*)[^\n]*/y],
  end: /[^\S\n]*(?=[#\n]|$)/y,
  controls: "abfnrtv",
  literal: "'",
};

/** The pattern of the dotenv package, in parts. */
const DEFAULT: Dialect = {
  ...LINES,
  head: /(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/y,
  values: [
    /\s*(['"`])((?:\\\1|(?!\1)[\s\S])*)\1(?=\s*(?:#.*)?$)/my,
    /[^\S\n]*(['"`])([^#\n]*)\1(?=[^\S\n]*(?:#.*)?$)/my,
    /()([^#\n]*)/y,
  ],
  isNormalized: true,
  escapes: { '"': /\\([nr])/g },
  literal: "'`",
};

const DIALECTS: Readonly<Record<DotenvProgram | "default" | "expanded", Dialect>> = {
  default: DEFAULT,
  expanded: { ...DEFAULT, expand: expandPlain },
  // src/node_dotenv.cc
  node: {
    ...LINES,
    head: /(?:export\s+)?([^\s=#]+)[^\S\n]*=[^\S\n]*/y,
    values: [/(['"`])((?:(?!\1)[\s\S])*)\1/y, /(?!['"`])()([^#\n]*)/y],
    isNormalized: true,
    escapes: { '"': /\\(n)/g },
  },
  // python-dotenv, parser.py and variables.py
  python: {
    ...LINES,
    head: /(?:export[^\S\n]+)?([^\s=#']+)[^\S\n]*=[^\S\n]*/y,
    values: [/(['"])((?:\\\1|(?!\1)[\s\S])*)\1/y, /(?!['"])()((?:(?!\s#)[^\n])*)[^\n]*/y],
    isNormalized: true,
    escapes: { "'": /\\([\\'])/g, '"': /\\([\\'"abfnrtv])/g },
    literal: "",
    // The closing brace is optional, so that no text is searched twice.
    expand: (text, owner, lookUp) =>
      text.replace(/\$\{([^}:]*)(?::-([^}]*))?(\}?)/g, (all, name, fallback, end) =>
        end ? (lookUp(name) ?? fallback ?? throwUnresolved(owner)) : all,
      ),
  },
  // POSIX XCU 2.2, 2.6 and 2.9.1: assignments that run nothing, and refer to
  // nothing but variables.
  shell: {
    gap: /[ \t\n;]+|(?<![^ \t\n;])#[^\n]*/y,
    head: /(?:export[ \t]+)?([A-Za-z_]\w*)=/y,
    values: [
      /(')([^']*)'/y,
      /(")((?:\\[\s\S]|\$(?![(\d?!#*@$-])|[^"\\$`])*)"/y,
      /()((?:\\[\s\S]|\$(?!['"(\d?!#*@$-])|(?<![=:])~|[^ \t\n'"\\;&|<>()`$~])+)/y,
    ],
    end: /(?=[ \t\n;]|$)/y,
    isWord: true,
    escapes: { '"': /\\([\\"$`\n])|\$(?![A-Za-z_{])/g, "": /\\([\s\S])|\$(?![A-Za-z_{])/g },
    controls: "\n",
    literal: "'",
    expand: fill,
  },
  // compose-go, dotenv/parser.go and template/template.go
  compose: {
    ...LINES,
    escapes: { "'": /\\(')/g, '"': /\\(["abfnrtv$\\]|0[0-3][0-7]{2})/g },
    expand: fill,
  },
  // godotenv, parser.go. Doppler does not escape dollar signs, so they are
  // literal.
  chamber: { ...LINES, escapes: { '"': /\\([\s\S])/g }, controls: "nr" },
};

/** A comment at the beginning of a line. */
export interface Comment {
  text: string;
  line: number;
  /** Whether it follows an assignment. */
  isLate: boolean;
}

/**
 * Reads assignments by the rules of a program. A reference gets the value of an
 * earlier line. If several lines have the same name, the last one counts.
 *
 * @returns `unread` has the lines that the program would refuse, drop or run
 * @throws UsageError for a reference to another name
 */
export function readAssignments(
  text: string,
  program: keyof typeof DIALECTS,
): { assignments: DotenvAssignment[]; unread: number[]; comments: Comment[] } {
  const dialect = DIALECTS[program];
  const scanner = new Scanner(dialect.isNormalized ? text.replaceAll(/\r\n?/g, "\n") : text);
  const assignments = new Map<string, DotenvAssignment>();
  const lookUp = limited((name) => assignments.get(name)?.value);
  const comments: Comment[] = [];
  const unread: number[] = [];
  while (!scanner.isAtEnd) {
    const { line, isAtLineStart } = scanner;
    const [gap] = scanner.take(dialect.gap) ?? [];
    if (gap?.startsWith("#") && isAtLineStart)
      comments.push({ text: gap, line, isLate: assignments.size > 0 });
    if (gap !== undefined) continue;
    const assignment = takeAssignment(scanner, dialect, lookUp);
    if (assignment) assignments.set(assignment.name, assignment);
    else if (scanner.take(/[^\n]*/y)) unread.push(line);
  }
  return { assignments: [...assignments.values()], unread, comments };
}

class Scanner {
  readonly #text: string;
  #position = 0;
  line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  get isAtLineStart(): boolean {
    return /^[\n\ufeff]?$/.test(this.#text.charAt(this.#position - 1));
  }

  /** Whether a comment begins here, with no blank before it. */
  get isAtTightComment(): boolean {
    return this.#text[this.#position] === "#" && /\S/.test(this.#text.charAt(this.#position - 1));
  }

  /** Moves past the match of the first sticky pattern that matches here. */
  take(...patterns: readonly RegExp[]): readonly string[] | undefined {
    for (const pattern of patterns) {
      pattern.lastIndex = this.#position;
      const match = pattern.exec(this.#text);
      if (!match) continue;
      this.#position += match[0].length;
      this.line += match[0].split("\n").length - 1;
      return match;
    }
    return undefined;
  }
}

function takeAssignment(
  scanner: Scanner,
  dialect: Dialect,
  lookUp: Parameters<Expand>[2],
): DotenvAssignment | undefined {
  const { head, values, end, isWord, literal, expand } = dialect;
  const { line } = scanner;
  const [, name] = scanner.take(head) ?? [];
  if (name === undefined) return undefined;
  const all = { name, line, value: "", quote: "", raw: "", isLiteral: false };
  for (let match = scanner.take(...values); match; match = isWord && scanner.take(...values)) {
    const [, quote = "", inner = ""] = match;
    const raw = quote || isWord ? inner : inner.trim();
    const isLiteral = quote !== "" && literal.includes(quote);
    const plain = decode(quote, raw, dialect);
    const value = expand && !isLiteral ? expand(plain, `${name} (line ${line})`, lookUp) : plain;
    Object.assign(all, { value: all.value + value, quote, raw, isLiteral });
  }
  const isCut = scanner.isAtTightComment;
  return scanner.take(end) && { ...all, isCut };
}

function decode(quote: string, raw: string, { escapes, controls, expand }: Dialect): string {
  // The dotenv package decides by the first character, even if it is a quote
  // without a closing one.
  const pattern = escapes[quote] ?? (quote ? undefined : escapes[raw.charAt(0)]);
  if (!pattern) return raw;
  return raw.replace(pattern, (_, char = "$") => {
    if (char.length > 1) return String.fromCharCode(Number.parseInt(char, 8));
    if (char === "$" && expand) return "$$";
    return controls.includes(char) ? (CONTROLS[char] ?? char) : char;
  });
}
