const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  $: "$$",
};

const NAME = /^([\p{L}\p{N}_.\-[\]\t\v\f\r \u0085\u00a0]*)([=:\n])[\t\v\f\r \u0085\u00a0]*/u;

/**
 * Reads a `.env` file by the rules of Docker Compose 2, as compose-go's packages `dotenv` and
 * `template` state them (v2.13). It is not Docker Compose itself: other behavior of those packages
 * is not tested.
 */
export function readComposeEnv(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  let rest = text.replace(/^\ufeff/, "");
  while (true) {
    rest = rest.replace(/^(?:\p{White_Space}+|#[^\n]*)*/u, "").replace(/^export\s+/, "");
    if (rest === "") return variables;
    const [head = "", spaced = "", end] = NAME.exec(rest) ?? [];
    const name = spaced.trimEnd();
    if (end === undefined || name.includes(" ")) throw new Error("not a name");
    rest = rest.slice(head.length);
    // A name alone takes its value from the environment.
    if (end === "\n") continue;
    const { value, length } = /^['"]/.test(rest)
      ? readQuoted(rest, variables)
      : readBare(rest, variables);
    variables[name] = value;
    rest = rest.slice(length);
  }
}

interface Read {
  value: string;
  length: number;
}

function readBare(rest: string, variables: Record<string, string>): Read {
  const [line = ""] = rest.split("\n", 1);
  const [text = ""] = line.split(" #", 1);
  return { value: expand(text.replace(/\p{White_Space}+$/u, ""), variables), length: line.length };
}

function readQuoted(rest: string, variables: Record<string, string>): Read {
  const quote = rest.charAt(0);
  let text = "";
  for (let index = 1; index < rest.length; index++) {
    const char = rest.charAt(index);
    if (char === quote) {
      return {
        value: quote === '"' ? expand(resolveEscapes(text), variables) : text,
        length: index + 1,
      };
    }
    if (char === "\\") {
      index++;
      text += rest.charAt(index) === quote ? quote : `\\${rest.charAt(index)}`;
    } else text += char;
  }
  throw new Error("unterminated quoted value");
}

function resolveEscapes(text: string): string {
  return text.replace(
    /\\(?:([abcfnrtv$"\\])|0(\d{0,3}))/g,
    (all, letter?: string, octal?: string) => {
      if (octal !== undefined)
        return /^[0-3][0-7]{2}$/.test(octal) ? String.fromCharCode(Number.parseInt(octal, 8)) : all;
      // `\c` is no escape in Go.
      return letter === "c" ? all : (ESCAPES[letter ?? ""] ?? letter ?? "");
    },
  );
}

function expand(text: string, variables: Record<string, string>): string {
  const reference = /\$(?:(\$)|([_a-z][_a-z0-9]*)|\{([_a-z][_a-z0-9]*)(?::-([^}]*))?\}|)/gi;
  return text.replace(
    reference,
    (_, dollar?: string, bare?: string, braced?: string, fallback?: string) => {
      if (dollar) return "$";
      const name = bare ?? braced;
      if (name === undefined) throw new Error("invalid template");
      return variables[name] || fallback || "";
    },
  );
}
