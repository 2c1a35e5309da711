// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files
import { parse } from "dotenv";
import { describe, expect, it } from "vitest";
import { readDotenv, writeDotenv } from "../../src/formats/dotenv.js";
import { readAssignments } from "../../src/formats/dotenv-dialects.js";
import { DOTENV_WRITERS } from "../../src/formats/dotenv-writers.js";
import {
  DOTENV_PROGRAMS,
  type ImportedVariable,
  type ReadOptions,
} from "../../src/formats/reader.js";
import { DOTENV_TARGETS, type Writer } from "../../src/formats/writer.js";
import { UsageError } from "../../src/kit/text/errors.js";
import { NAME_RULE, valueText } from "../../src/model/variable.js";
import { Random } from "../support/random.js";
import { asText, expectSame, refusal, refusedNames } from "./consumers.js";
import { ALL_VALUES, entriesOf, randomTexts } from "./nasty-values.js";
import { readRandomFiles } from "./random-env-files.js";

const all = entriesOf(ALL_VALUES);

function writable(text: string): boolean {
  try {
    writeDotenv(entriesOf([text]));
    return true;
  } catch {
    return false;
  }
}

const held = all.filter(({ value }) => writable(valueText(value)));
const refused = all.filter((entry) => !held.includes(entry));

const textsOf = (entries: readonly ImportedVariable[]) =>
  entries.map(({ name, value }) => ({ name, value }));

describe("writing", () => {
  it("dotenv parses every value to itself, alone and in one file with all the others", () => {
    for (const entry of held)
      expect(parse(writeDotenv([entry]))[entry.name], entry.name).toBe(valueText(entry.value));
    expectSame(parse(writeDotenv(held)), asText(held));
  });

  it("dotenv's fast parser agrees", () => {
    expectSame(parse(writeDotenv(held), { fast: true }), asText(held));
  });

  it("the order of dotenv lines makes no difference", () => {
    const reversed = held.toReversed();
    expectSame(parse(writeDotenv(reversed)), asText(reversed));
  });

  it("writeDotenv lists everything that it refuses in one error", () => {
    const message = refusal(writeDotenv, all);
    expect(refusedNames(message)).toEqual(new Set(refused.map(({ name }) => name)));
    expect(refusal(writeDotenv, entriesOf(["a\0", "\r'\"`", "\ud800"]))).toBe(
      "these can't be written as dotenv: V0 (its value contains a NUL), V1 (no quotes that all its readers " +
        "understand: see --for), V2 (its value contains half a surrogate pair, which UTF-8 can't hold)",
    );
  });

  it("__proto__ is refused, as dotenv drops it; other odd names are kept", () => {
    const named = (...names: string[]) =>
      names.map((name) => ({ name, type: "STRING" as const, value: "x" }));
    expect(refusal(writeDotenv, named("__proto__"))).toContain(
      "__proto__ (dotenv drops this name)",
    );
    const names = ["a.b", "a-b", "constructor", "toString", "_"];
    expect(Object.keys(parse(writeDotenv(named(...names))))).toEqual(names);
  });

  it("dotenv quoting is the simplest that all readers read alike", () => {
    const texts = ["", "a-b_c/d:1", "two words", "$HOME `x`", "it's", "a\nb", "C:\\dir", "{}"];
    expect(writeDotenv(entriesOf(texts))).toBe(
      [
        "# appvars type: V7 STRING",
        "V0=",
        "V1=a-b_c/d:1",
        "V2='two words'",
        "V3='$HOME `x`'",
        `V4="it's"`,
        "V5='a\nb'",
        "V6='C:\\dir'",
        "V7='{}'",
        "",
      ].join("\n"),
    );
  });

  it.each([`it's "x"`, "it's $5", "a\rb", "C:\\", "\\\\host", ["$", "{HOME}"].join("")])(
    "%j has no form for all readers",
    (text) => {
      expect(writable(text)).toBe(false);
    },
  );
});

describe("reading", () => {
  it("returns the written values, as text", () => {
    expect(textsOf(readDotenv(writeDotenv(held)))).toEqual(
      held.map(({ name, value }) => ({ name, value: valueText(value) })),
    );
  });

  it("reads types only from comments at the top, because those below may be part of a value", () => {
    const spoof = "\n# appvars type: ZIP JSON\n";
    const text = `\ufeff\r\n# mine\r\n# appvars type: ZIP STRING\r\n${writeDotenv(entriesOf([spoof]))}ZIP=01234\n`;
    expect(readDotenv(text)).toEqual([
      { name: "V0", value: spoof },
      { name: "ZIP", value: "01234", type: "STRING" },
    ]);
  });

  it.each(["ZIP TEXT", "ZIP", "JSON string", "", "ZIP  STRING"])(
    "refuses a comment with another type: %s",
    (said) => {
      expect(() => readDotenv(`# one\n# appvars type: ${said}\nZIP=1`)).toThrow(
        new UsageError("line 2 must be # appvars type: NAME TYPE"),
      );
    },
  );

  it("refuses a type comment after the first assignment", () => {
    const text = "A=1\n# appvars type: B STRING\nB=5\n";
    expect(() => readDotenv(text)).toThrow(
      new UsageError('line 2: "# appvars type:" must come before the first assignment'),
    );
  });

  it("reads handwritten files: comments, export, blanks, CRLF, a byte order mark", () => {
    const text =
      "\ufeff# comment\r\nexport A=1 # one\r\n\r\n  B = two words  \r\nC='#3'\r\nD=\"x\\ny\"\r\nE=\r\nF: 6\r\n";
    expect(readDotenv(text)).toEqual(
      Object.entries({ A: "1", B: "two words", C: "#3", D: "x\ny", E: "", F: "6" }).map(
        ([name, value]) => ({
          name,
          value,
        }),
      ),
    );
  });

  it("reads any text as dotenv does, but refuses what dotenv drops", () => {
    const parts = [
      "A",
      "B_1",
      "a.b-c",
      "=",
      ":",
      " ",
      "\n",
      "\n\n",
      "\r\n",
      "\r",
      "'",
      '"',
      "`",
      "\\",
      "#",
      "x",
    ];
    const all = ["export ", "\t", "\\n", "\ufeff", "\\'", '\\"', "\u00a0", ...parts];
    const random = new Random(1);
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + random.below(14) }, () => random.pick(all)).join("");
      const read = readAssignments(text, "default").assignments.map(({ name, value }) => [
        name,
        value,
      ]);
      expect(Object.fromEntries(read), JSON.stringify(text)).toEqual(parse(text));
    }
  });

  it("reads a text in linear time", () => {
    const blank = "\n".repeat(300_000);
    expect(readDotenv(`${blank}A=1${blank}\n# end`)).toEqual([{ name: "A", value: "1" }]);
    const lines = Array.from(
      { length: 50_000 },
      (_, index) => `# appvars type: line ${index}`,
    ).join("\n");
    expect(readDotenv(`A='${lines}'`)).toEqual([{ name: "A", value: lines }]);
  });

  it("names a line that dotenv drops, even if its text is also in a value", () => {
    const text = "A='one\nB C=1\ntwo'\nB C=1\n";
    expect(() => readDotenv(text)).toThrow(
      new UsageError("neither an assignment nor a comment: line 4"),
    );
  });

  it("the last of two lines for one name counts", () => {
    expect(readDotenv("A=1\nB=2\nA=3\n")).toEqual([
      { name: "A", value: "3" },
      { name: "B", value: "2" },
    ]);
  });

  it("refuses __proto__, which dotenv drops, but not the text in a value or comment", () => {
    for (const text of ["__proto__=x", "A=1\nexport __proto__ = 'x'", "__proto__=1\n__proto_a=2"]) {
      expect(() => readDotenv(text)).toThrow(
        "these can't be read from dotenv: __proto__ (dotenv drops this name)",
      );
    }
    expect(readDotenv("A='\n__proto__=x'\n# __proto__=y\nB=__proto__")).toEqual([
      { name: "A", value: "\n__proto__=x" },
      { name: "B", value: "__proto__" },
    ]);
  });

  it("refuses names that no variable can have, all at once, and not the values", () => {
    const long = "L".repeat(300);
    expect(() => readDotenv(`1A=secret\nOK=1\n.b=secret\n${long}=secret`)).toThrow(
      new UsageError(
        `these can't be variable names: "1A", ".b", "${"L".repeat(80)}…"; a name is ${NAME_RULE}`,
      ),
    );
  });
});

it("random values go through a file and back, beside any others", () => {
  for (let seed = 100; seed < 130; seed++) {
    const entries = entriesOf(randomTexts(100, seed).filter(writable));
    expect(textsOf(readDotenv(writeDotenv(entries))), `seed ${seed}`).toEqual(
      entries.map(({ name, value }) => ({ name, value })),
    );
  }
});

it("reads what the dotenv package reads in any file, or refuses it", () => {
  const { read, refused } = readRandomFiles(3_000);
  expect(refused.length).toBeLessThan(read.length);
  for (const { text, values } of read)
    expect({ text, values }).toEqual({ text, values: { ...parse(text) } });
});

describe("for one program", () => {
  it.each(DOTENV_TARGETS)("--for %s reads what export --for writes", (program) => {
    const write = DOTENV_WRITERS[program];
    const kept = all.filter((entry) => isWritten(write, entry));
    expect(kept.length).toBeGreaterThan(all.length * 0.9);
    expect(readDotenv(write(kept), { program })).toEqual(
      kept.map(({ name, value }) => ({ name, value: valueText(value) })),
    );
  });

  /**
   * chamber, cmd/export.go, doubleQuoteEscape; Doppler, pkg/controllers/secrets.go, MapToEnvFormat.
   */
  const chamber = (text: string) =>
    text
      .replace(/[\\"!$`]/g, "\\$&")
      .replaceAll("\n", "\\n")
      .replaceAll("\r", "\\r");
  const doppler = (text: string) => text.replace(/[\\"]/g, "\\$&");

  it.each([
    ["chamber", chamber],
    ["Doppler", doppler],
  ])("--for chamber reads every value that %s has written", (_, quoted) => {
    const text = all.map(({ name, value }) => `${name}="${quoted(valueText(value))}"\n`).join("");
    expect(textsOf(readDotenv(text, { program: "chamber" }))).toEqual(
      all.map(({ name, value }) => ({ name, value: valueText(value) })),
    );
  });

  it.each([
    ["node", "A='it\\'"],
    ["python", `A='it\\'s \\\\ \\n' # c\nexport B="\\t\\a" # c\nC = x#y #z\nD='\${C}-\${E:-e}'`],
    ["shell", `A='it'\\''s'"\\$\\\\\\n" B=x#y;export C=$A\\ \${B}; D="\${E:-e}$" # c`],
    ["compose", `A='it\\'s'\nB="\\t\\$\\0101" # c\nC: x#y #z\nD=\${C:-d}$$`],
    ["chamber", `A="\\$\\!\\\`\\"\\\\\\n$B"\nB='\\n'`],
  ] as const)("%s: quotes, escapes, comments and references", (program, text) => {
    const values = Object.fromEntries(
      readDotenv(text, { program }).map(({ name, value }) => [name, value]),
    );
    expect(values).toEqual(
      {
        node: { A: "it\\" },
        python: { A: "it's \\ \\n", B: "\t\x07", C: "x#y", D: "x#y-e" },
        shell: { A: "it's$\\\\n", B: "x#y", C: "it's$\\\\n x#y", D: "e$" },
        compose: { A: "it's", B: "\t$A", C: "x#y", D: "x#y$" },
        chamber: { A: '$!`"\\\n$B', B: "\\n" },
      }[program],
    );
  });

  it.each([
    [
      "shell",
      [
        "A=$(id)",
        "A=`id`",
        'A="$(id)"',
        'A="`id`"',
        "A=1 id",
        "A=1; id",
        "A=~",
        "A=x:~root",
        "A=$1",
        "A=$'x'",
        "A=(1)",
      ],
    ],
    ["shell", ["A=1 && B=2", "A=1 > x", "A = 1", "a-b=1", "A='x", 'A="x', "set -a"]],
    ["python", ['A="x"; export B=y', "A='x", "A"]],
    ["compose", ['A="x"; B=y', 'A="x', "A"]],
    ["chamber", ['A="x"y', 'A="x', "A"]],
    ["node", ["A='it's'", "A"]],
  ] as const)(
    "%s: refuses lines that it would drop, refuse or run, and reads none of them",
    (program, lines) => {
      for (const line of lines)
        expect(() => readDotenv(`OK=1\n${line}\n`, { program }), line).toThrow(
          new UsageError(`not an assignment that --for ${program} reads: line 2`),
        );
    },
  );

  it.each(DOTENV_PROGRAMS.filter((program) => !["node", "chamber"].includes(program)))(
    "%s: a reference to a name that is not before it is refused, and is not quoted",
    (program) => {
      const text = 'A="pa${Sup3rS}"\nSup3rS=1\n';
      expect(() => readDotenv(text, { program })).toThrow(
        /^A \(line 1\) refers to a name (?!.*Sup3rS)/,
      );
    },
  );

  it("the length of all values together is limited for every program that expands", () => {
    const lines = Array.from(
      { length: 30 },
      (_, index) => `L${index + 1}="\${L${index}}\${L${index}}"`,
    );
    for (const program of ["python", "shell", "compose"] as const)
      expect(() => readDotenv(`L0=ha\n${lines.join("\n")}`, { program })).toThrow(
        "longer than 16 MiB together",
      );
  });
});

describe("notes", () => {
  const notesOf = (text: string, options: ReadOptions = {}): string[] => {
    const notes: string[] = [];
    readDotenv(text, { ...options, note: (note) => notes.push(note) });
    return notes;
  };
  const KEPT =
    "backslashes are kept in A (line 1); import --for replaces escapes as another program does";
  const CUT = "the text from # is dropped from A (line 1); to keep it, put the value in quotes";
  const QUOTE = "a quote or a second assignment is part of the value of A (line 1)";

  it.each([
    ...[`A="\\""`, `A="\\\\"`, `A="\\$x"`, 'A="\\`"', `A="\\!"`, `A="a\\tb"`, `A='it\\'s'`].map(
      (text) => [text, KEPT],
    ),
    ...["A=abc#def", "A=#abc", 'A="x"#y', "A=x#", "export A=1#2 # 3"].map((text) => [text, CUT]),
    ...['A="x"; export B=y', "A='it's'", 'A="x', "A='x' 'y'", "A=1; export B=2", `A="a"b"c"`].map(
      (text) => [text, QUOTE],
    ),
  ])("%s", (text, note) => {
    expect(notesOf(text)).toEqual([note]);
  });

  it.each([
    `A="x" # y`,
    `A='x\\y' B`.slice(0, 7),
    "A=it's # x",
    'A="a\\nb"',
    "A=C:\\dir",
    `A="{'b': 1}"`,
    "A= # c",
    "A=1;B=2",
    "A=1\nB=2\nA=3",
  ])("%s has none", (text) => {
    expect(notesOf(text)).toEqual([]);
  });

  it("what export writes has none, and with --expand none about escaped dollar signs", () => {
    const literal = entriesOf(
      randomTexts(300, 5).filter((text) => writable(text) && !/\$[A-Za-z_{]/.test(text)),
    );
    expect(notesOf(writeDotenv(literal))).toEqual([]);
    expect(notesOf('A="\\$HOME"', { expand: true })).toEqual([]);
  });

  it("other kinds of files are refused by name, before their lines", () => {
    expect(() => readDotenv("apiVersion: v1\nkind: Secret\n- x\n")).toThrow(
      "this is a Kubernetes manifest;",
    );
    expect(() => readDotenv('A="ENC[x]"\nsops_mac=x\n')).toThrow(
      "encrypted by SOPS; use the output of: sops decrypt FILE",
    );
  });
});

function isWritten(write: Writer, entry: Parameters<Writer>[0][number]): boolean {
  try {
    return write([entry]) !== "";
  } catch {
    return false;
  }
}
