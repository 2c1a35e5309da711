import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { writeDotenv } from "../../../src/formats/dotenv.js";
import { DOTENV_WRITERS } from "../../../src/formats/dotenv-writers.js";
import type { DotenvProgram } from "../../../src/formats/reader.js";
import type { Writer } from "../../../src/formats/writer.js";
import { type NamedValue, valueText } from "../../../src/model/variable.js";
import { asText, expectSame, fileWith, has, output, refusal } from "../../formats/consumers.js";
import { ALL_VALUES, entriesOf, HARD_TEXTS, hasLoneSurrogate } from "../../formats/nasty-values.js";
import { type RandomFile, readRandomFiles } from "../../formats/random-env-files.js";
import { readComposeEnv } from "../../formats/read-compose-env.js";

type Read = (text: string) => Promise<Record<string, string>>;

const python = ["/usr/bin/python3", "python3"].find((command) =>
  has(command, "-c", "import dotenv"),
);

const readPython: Read = async (text) => {
  const script = "import dotenv, json, sys; print(json.dumps(dotenv.dotenv_values(sys.argv[1])))";
  // Without HOME, `${HOME}` would expand to nothing, which no test could tell from a value that is
  // lost.
  return JSON.parse(
    await output(python ?? "", ["-c", script, await fileWith(".env", text)], { HOME: "/home" }),
  );
};

const readShell =
  (shell: string, ...flags: string[]): Read =>
  async (text) => {
    const script = `set -a; . "$0"; exec "$NODE" -e 'console.log(JSON.stringify(process.env))'`;
    return JSON.parse(
      await output(shell, [...flags, "-c", script, await fileWith(".env", text)], {
        NODE: process.execPath,
      }),
    );
  };

interface Program {
  name: string;
  read: Read;
  isMissing?: boolean;
}

const PROGRAMS: readonly Program[] = [
  { name: "util.parseEnv", read: async (text) => parseEnv(text) as Record<string, string> },
  { name: "python-dotenv", read: readPython, isMissing: python === undefined },
  { name: "bash", read: readShell("bash", "--norc"), isMissing: !has("bash", "-c", "exit 0") },
  { name: "sh", read: readShell("sh"), isMissing: !has("sh", "-c", "exit 0") },
  { name: "zsh", read: readShell("zsh", "-f"), isMissing: !has("zsh", "-c", "exit 0") },
  { name: "the rules of Docker Compose", read: async (text) => readComposeEnv(text) },
];

describe("import --for reads what the program reads in any file, or refuses it:", () => {
  const filesFor = (program: DotenvProgram, count: number): readonly RandomFile[] => {
    const { read, refused } = readRandomFiles(count, program);
    expect(read.length).toBeGreaterThan(refused.length / 5);
    return read;
  };

  it("node", () => {
    // Older versions keep tabs at the ends of a value, and take a blank line for the beginning of a
    // name.
    const files = filesFor("node", 3_000).filter(
      ({ text }) => !/\t|\n[^\S\n]*[#\n]|\n[^\S\n]+\w/.test(text),
    );
    for (const { text, values } of files)
      expect({ text, values }).toEqual({ text, values: { ...parseEnv(text) } });
  });

  it("the rules of Docker Compose", () => {
    for (const { text, values } of filesFor("compose", 3_000))
      expect({ text, values }).toEqual({ text, values: readComposeEnv(text) });
  });

  it.skipIf(python === undefined)("python-dotenv", async () => {
    const files = filesFor("python", 1_500);
    const script =
      "import dotenv, io, json, sys, logging; logging.disable(50); texts = json.load(open(sys.argv[1])); " +
      "print(json.dumps([dotenv.dotenv_values(stream=io.StringIO(text)) for text in texts]))";
    const texts = files.map(({ text }) => text.replaceAll("\r\n", "\n"));
    const path = await fileWith("files.json", JSON.stringify(texts));
    const read = JSON.parse(await output(python ?? "", ["-c", script, path], { HOME: "/home" }));
    for (const [index, { text, values }] of files.entries())
      expect({ text, values }).toEqual({ text, values: read[index] });
  });

  it.each([["sh"], ["bash", "--norc"]])("%s", async (...shell) => {
    for (const { text, values } of filesFor("shell", 150).slice(0, 50)) {
      const all = await readShell(...(shell as [string]))(text);
      expect({ text, values }).toEqual({
        text,
        values: Object.fromEntries(Object.keys(values).map((name) => [name, all[name]])),
      });
    }
  });
});

const isHeld = (write: Writer) => (entry: NamedValue) => {
  try {
    return write([entry]) !== "";
  } catch {
    return false;
  }
};

/** In a shell, these begin with a path, or with the home. */
const ZSH_TEXTS = ["=ls", "x:=ls", "x:y:=ls", "a=b", "a=:b", "~", "x:~", "~root/x"];

// An environment can't hold a text of 128 KiB or more.
const values = [...ZSH_TEXTS, ...ALL_VALUES, ...Object.values(HARD_TEXTS)];
const all = entriesOf(values).filter(({ value }) => valueText(value).length < 100_000);

describe.each(PROGRAMS)("$name", ({ read, isMissing = false }) => {
  it.skipIf(isMissing)("reads every value of dotenv", async () => {
    const written = all.filter(isHeld(writeDotenv));
    expect(written.length).toBeGreaterThan(all.length / 2);
    expect(await read(writeDotenv(written))).toMatchObject(asText(written));
    const reversed = written.toReversed();
    expect(await read(writeDotenv(reversed))).toMatchObject(asText(reversed));
  });
});

describe("for one reader", () => {
  const isText = (text: string) => !text.includes("\0") && !hasLoneSurrogate(text);

  it.for([
    [
      "node",
      DOTENV_WRITERS.node,
      "util.parseEnv",
      (text: string) => isText(text) && !text.includes("\r"),
    ],
    ["python", DOTENV_WRITERS.python, "python-dotenv", isText],
    ["shell", DOTENV_WRITERS.shell, "bash", isText],
    ["shell", DOTENV_WRITERS.shell, "sh", isText],
    ["shell", DOTENV_WRITERS.shell, "zsh", isText],
    ["compose", DOTENV_WRITERS.compose, "the rules of Docker Compose", isText],
  ] as const)("--for %s: %#: every value", async ([name, write, program, canHold], { skip }) => {
    const { read, isMissing = false } = PROGRAMS.find((each) => each.name === program) as Program;
    skip(isMissing);
    const held = all.filter(isHeld(write));
    const lost = all.filter((entry) => !held.includes(entry) && canHold(valueText(entry.value)));
    // Node has no escapes, so a few texts with every kind of quote have no form.
    if (name === "node") expect(lost.length).toBeLessThan(all.length / 30);
    else expect(lost).toEqual([]);
    expectSame(pick(await read(write(held)), held), asText(held));
    const reversed = held.toReversed();
    expectSame(pick(await read(write(reversed)), reversed), asText(reversed));
  });

  it("values that the reader can't hold are refused by name", () => {
    const texts = entriesOf(["a\0", "\ud800", "a\rb", `'"\`\n`]);
    expect(refusal(DOTENV_WRITERS.node, texts)).toBe(
      "these can't be written as dotenv for Node: V0 (its value contains a NUL), V1 (its value contains half a surrogate " +
        "pair, which UTF-8 can't hold), V2 (its value contains a carriage return, which Node drops), " +
        "V3 (Node has no quoting that preserves its value)",
    );
    const named = ["a-b", "UID"].map((name): NamedValue => ({ name, type: "STRING", value: "x" }));
    expect(refusal(DOTENV_WRITERS.shell, named)).toBe(
      "these can't be written as dotenv for a shell: a-b (not a shell name), UID (reserved by the shell)",
    );
    expect(DOTENV_WRITERS.python(named)).toBe("a-b=x\nUID=x\n");
  });
});

function pick(
  read: Record<string, string>,
  entries: readonly NamedValue[],
): Record<string, string | undefined> {
  return Object.fromEntries(entries.map(({ name }) => [name, read[name]]));
}
