// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are what a shell or HCL would expand
import type { JsonValue, NamedValue } from "../../src/domain/variable.js";

/** Texts that have broken the output of some program like this one, or look like the syntax of one of our formats. */
export const NASTY_TEXTS: readonly string[] = [
  ...["", " ", "  both ends  ", "\t", "\ttab\t", "\n", "\n\n", "a\n", "\na", "a\nb", "a\n\nb\n", "\r", "\r\n", "a\rb"],
  ...["a\r\nb", "a\r", "\f", "\v", "\u001b[31mred", "\u0001\u001f\u007f", "\u0085", "\u0080\u009f", "\0", "a\0b"],
  ...["'", "''", "'''", '"', '""', "`", "``", "'\"`", "it's", 'say "hi"', "'quoted'", '"quoted"', "`quoted`"],
  ...["'a' 'b'", '"a" "b"', `it's "x"`, `it's \`x\``, '"x" `y`', `"it's" \`all\``, `'it's "all" \`three\`'`],
  ...[`'"\`#`, `"'\` # not a comment`, `a\n'"\``, `'"\`\n#`, "x'\n\"y", "\r'", "\r\"'", '\r"'],
  ...["\\", "\\\\", "\\'", '\\"', "a\\", "a'\\", 'a"\\', "'\"\\", "\\n", "\\r", "\\r\r", "\\n\r", "C:\\new\\dir\\"],
  ...["\\u0041", "\\x41", "\\101", "\\\n", "a\\\nb", "\\ ", " \\", "\\$HOME", "\\`", "\\!", "'\\''", "'\"'\"'"],
  ...["$", "$$", "$HOME", "${HOME}", "$(touch pwned)", "`touch pwned`", "$((1+1))", "${", "$${", "$$${", "$${x}"],
  ...[
    "%",
    "%%",
    "%{",
    "%%{",
    "%%%{ if true }",
    "%s%n",
    "${x",
    "%{x",
    "$%{",
    "%${",
    "~",
    "~root",
    "{a,b}",
    "*",
    "?",
    "[a]",
  ],
  ...[
    "!",
    "!!",
    "!x",
    "# comment",
    "a # b",
    "a#b",
    "#",
    " #",
    "a #",
    ";",
    "; touch pwned",
    "&",
    "| cat",
    "> x",
    "<",
    "<<EOF",
  ],
  ...[
    "=",
    "==",
    "a=b",
    "=a",
    "A=b\nC=d",
    "export X=1",
    "X='1'\nY=2",
    "'\nINJECTED='1",
    '"\nINJECTED="1',
    "`\nINJECTED=`1",
  ],
  ...[
    "-",
    "--",
    "-n",
    "-e",
    "--help",
    "-x",
    "---",
    "...",
    "--- a",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a:",
    ":",
    "key: value # c",
  ],
  ...[
    "no",
    "No",
    "yes",
    "on",
    "off",
    "y",
    "n",
    "true",
    "True",
    "false",
    "null",
    "Null",
    "NULL",
    "~",
    "nil",
    "undefined",
  ],
  ...[
    "0",
    "-0",
    "1",
    "1.0",
    "1e3",
    "1E3",
    "1e+21",
    "0x10",
    "0o17",
    "017",
    "0b11",
    "1_000",
    "+1",
    ".5",
    "5.",
    "-1.5e-7",
  ],
  ...[
    "1:20",
    "190:20:30",
    "2001-01-01",
    "2001-12-14t21:59:43.10-05:00",
    ".inf",
    "-.inf",
    ".nan",
    ".NaN",
    "NaN",
    "Infinity",
  ],
  ...[
    "<<",
    "=",
    "*alias",
    "&anchor",
    "!!str x",
    "!tag",
    "|",
    "|-",
    ">",
    ">-",
    "@",
    "%YAML 1.2",
    "[",
    "]",
    "{",
    "}",
    ",",
    "[]",
  ],
  ...[
    "{}",
    '{"a": 1}',
    "[1, 2]",
    '"json"',
    "{ a = 1 }",
    "<<-EOT\nx\nEOT",
    "NAME<<EOF\nx\nEOF",
    "::set-env name=X::1",
    "EOF",
  ],
  ...[
    "// c",
    "/* c */",
    "a/*b*/",
    "__proto__",
    "constructor",
    "\u00a0nbsp\u00a0",
    "\u3000wide\u3000",
    "\ufeffbom",
    "bom\ufeff",
  ],
  ...[
    "é",
    "ünïcödé",
    "日本語",
    "😀",
    "👨‍👩‍👧",
    "\u2028",
    "\u2029",
    "a\u2028b",
    "a\u2028'b'",
    'a\u2029"b"',
    "\u2028X=1",
    "\u200b",
  ],
  ...[
    "e\u0301",
    "\u0338",
    "=\u0338",
    "\u212b",
    "\ufdd0\ufdef",
    "\uf600\uf6ff",
    "\uffff",
    "\ufffe",
    "\ufffd",
    "\u{10ffff}",
  ],
  ...[
    "\ud800",
    "\udc00",
    "a\ud83d",
    "\udc00\ud800",
    "postgres://u:p@h:5432/db?a=b&c=%20#f",
    "Bearer a.b-c_d==",
    "a,b;c|d",
  ],
  ...[
    "-----BEGIN KEY-----\nMIIE\n+/=\n-----END KEY-----\n",
    "x".repeat(60_000),
    "'".repeat(3_000),
    "\\'".repeat(3_000),
  ],
  ...["\n".repeat(3_000), `${'"'.repeat(500)}${"'".repeat(500)}`, "é".repeat(20_000), "$(".repeat(3_000)],
];

/** Values that are no text. */
const NASTY_JSON: readonly JsonValue[] = [
  ...[0, 1, -1, 1.5, 0.1, 1e21, -1e21, 1e-7, 1.5e-7, 5e-324, 1.7976931348623157e308, 9007199254740991],
  ...[true, false, null, [], {}, [[]], [{}], { a: [] }, [null, true, 1, "a", { b: [1, { c: "d" }] }]],
  {
    "": "",
    "a b": 1,
    "a\"b'c": 2,
    "\n": 3,
    "<<": 4,
    "=": 5,
    no: 6,
    "1_0": 7,
    "2001-01-01": 8,
    "${x}": "%{y}",
    é: "😀",
  },
  JSON.parse('{"__proto__": {"__proto__": 1}, "constructor": [], "toString": null}'),
  { text: 'it\'s\n"x" `y` \\ $HOME ${z} # \u2028 \u0085 \u007f', ["k".repeat(1_100)]: "long key" },
];

/** `V0`, `V1`, … */
export function entriesOf(values: readonly JsonValue[]): NamedValue[] {
  return values.map((value, index) => ({
    name: `V${index}`,
    type: typeof value === "string" ? "STRING" : "JSON",
    value,
  }));
}

const PIECES = [
  ..."'\"`\\$%{}()[]<>#=!&|;:,.?*~@^-+/ \t\n\r",
  ...[
    "\\n",
    "\\r",
    "${",
    "%{",
    "$(",
    "$$",
    "%%",
    "\\'",
    '\\"',
    " #",
    "\n#",
    "\nA=",
    "\n'",
    '\n"',
    "'\n",
    '"\n',
    "<<",
    "EOF",
  ],
  ...[
    "a",
    "b",
    "1",
    "0",
    "x=",
    "é",
    "😀",
    "\u2028",
    "\u2029",
    "\u0085",
    "\ufeff",
    "\u00a0",
    "\u0001",
    "\u007f",
    "e\u0301",
  ],
];

/** Texts of up to 12 pieces that are likely to break something; the same for the same seed. */
export function randomTexts(count: number, seed: number): string[] {
  const random = mulberry32(seed);
  const pick = () => PIECES[Math.floor(random() * PIECES.length)];
  return Array.from({ length: count }, () => Array.from({ length: Math.floor(random() * 13) }, pick).join(""));
}

/** Tommy Ettinger's generator: Math.random has no seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** All of the above: what each format has to write so that its consumer reads it back, or to refuse. */
export const ALL_VALUES: readonly JsonValue[] = [...NASTY_TEXTS, ...randomTexts(1_500, 1), ...NASTY_JSON];

export function hasLoneSurrogate(text: string): boolean {
  return Buffer.from(text).toString() !== text;
}
