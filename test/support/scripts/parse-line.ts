/** A part of a word: text, a variable by its name, or a command replaced by its output. */
interface Part {
  readonly kind: "text" | "variable" | "output";
  readonly text: string;
}

export type Word = readonly Part[];

export interface Redirection {
  readonly operator: "<" | ">" | "2>";
  readonly target: Word;
}

export interface SimpleCommand {
  readonly assignments: { readonly name: string; readonly value: Word }[];
  readonly words: Word[];
  readonly redirections: Redirection[];
}

/** Characters that mean something else in a shell than here. */
const UNSUPPORTED = /[`&(){}*?[\]~#!]/;

/**
 * Parses a line into commands between `;`, each a list of the parts between `|`: the part of the
 * syntax of sh that test/scripts/README.md lists.
 *
 * @throws Error for any other syntax
 */
export function parseLine(line: string): SimpleCommand[][] {
  const reader = new Reader(line);
  const lists: SimpleCommand[][] = [[emptyCommand()]];
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    const commands = lists.at(-1) ?? [];
    if (next === ";") lists.push([emptyCommand()]);
    else if (next === "|") commands.push(emptyCommand());
    else addWord(commands.at(-1) ?? emptyCommand(), next, reader);
  }
  return lists;
}

function emptyCommand(): SimpleCommand {
  return { assignments: [], words: [], redirections: [] };
}

function addWord(
  command: SimpleCommand,
  next: Redirection["operator"] | "word",
  reader: Reader,
): void {
  if (next !== "word") {
    command.redirections.push({ operator: next, target: reader.word() });
    return;
  }
  const name = command.words.length === 0 ? reader.assignedName() : undefined;
  if (name === undefined) command.words.push(reader.word());
  else command.assignments.push({ name, value: reader.word() });
}

class Reader {
  readonly #line: string;
  #index = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** Skips blanks. Returns undefined at the end, and skips an operator. */
  next(): ";" | "|" | Redirection["operator"] | "word" | undefined {
    this.#take(/ +/y);
    if (this.#index >= this.#line.length) return undefined;
    const operator = this.#take(/2>|[;|<>\n]/y)?.replace("\n", ";") as
      | Redirection["operator"]
      | undefined;
    if (operator !== undefined) this.#take(/ +/y);
    return operator ?? "word";
  }

  assignedName(): string | undefined {
    return this.#take(/\w+=/y)?.slice(0, -1);
  }

  word(): Word {
    const parts: Part[] = [];
    for (;;) {
      const plain = this.#take(/[^\s;|<>"'\\$]+/y);
      if (plain !== undefined) parts.push(this.#supported(plain));
      else if (this.#take(/'/y))
        parts.push(text((this.#take(/[^']*'/y) ?? this.#fail()).slice(0, -1)));
      else if (this.#take(/"/y)) parts.push(text(""), ...this.#quoted());
      else if (this.#take(/\\/y)) parts.push(text(this.#take(/./y) ?? ""));
      else if (this.#line[this.#index] === "$") parts.push(this.#expansion());
      else return parts.length > 0 ? parts : this.#fail();
    }
  }

  /** Up to the closing quote. */
  #quoted(): Part[] {
    const parts: Part[] = [];
    while (!this.#take(/"/y)) {
      const plain = this.#take(/(?:[^"\\$]|\\[^"\\$])+/y);
      if (plain !== undefined) parts.push(text(plain));
      else if (this.#take(/\\/y)) parts.push(text(this.#take(/./y) ?? ""));
      else parts.push(this.#expansion());
    }
    return parts;
  }

  #expansion(): Part {
    const name = this.#take(/\$[A-Za-z_]\w*/y);
    if (name !== undefined) return { kind: "variable", text: name.slice(1) };
    const command = this.#take(/\$\([^()]*\)/y) ?? this.#fail();
    return { kind: "output", text: command.slice(2, -1) };
  }

  #supported(plain: string): Part {
    return UNSUPPORTED.test(plain) ? this.#fail() : text(plain);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#index;
    const [found] = pattern.exec(this.#line) ?? [];
    this.#index += found?.length ?? 0;
    return found === "" ? undefined : found;
  }

  #fail(): never {
    throw new Error(`needs a shell: move the session to test/e2e/scripts: ${this.#line}`);
  }
}

function text(value: string): Part {
  return { kind: "text", text: value };
}
