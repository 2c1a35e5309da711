import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { type NamedValue, valueText } from "../../../src/domain/variable.js";
import { writeForMost } from "../../../src/formats/dotenv.js";
import type { DotenvProgram } from "../../../src/formats/dotenv-forms.js";
import type { Writer } from "../../../src/formats/entry.js";
import { asText, fileWith, has, output } from "../../formats/consumers.js";
import { ALL_VALUES, entriesOf, HARD_TEXTS } from "../../formats/nasty-values.js";
import { readComposeEnv } from "../../formats/read-compose-env.js";

type Read = (text: string) => Promise<Record<string, string>>;

const python = ["/usr/bin/python3", "python3"].find((command) => has(command, "-c", "import dotenv"));

const readPython: Read = async (text) => {
  const script = "import dotenv, json, sys; print(json.dumps(dotenv.dotenv_values(sys.argv[1])))";
  // Without HOME, `${HOME}` would expand to nothing, which no test could tell from a value that is lost.
  return JSON.parse(await output(python ?? "", ["-c", script, await fileWith(".env", text)], { HOME: "/home" }));
};

const readShell =
  (shell: string, ...flags: string[]): Read =>
  async (text) => {
    const script = `set -a; . "$0"; exec "$NODE" -e 'console.log(JSON.stringify(process.env))'`;
    return JSON.parse(
      await output(shell, [...flags, "-c", script, await fileWith(".env", text)], { NODE: process.execPath }),
    );
  };

const readDirenv: Read = async (text) =>
  JSON.parse(await output("direnv", ["dotenv", "json", await fileWith(".env", text)], { HOME: "/home" }));

interface Program {
  reader: DotenvProgram;
  name: string;
  read: Read;
  isMissing?: boolean;
}

const PROGRAMS: readonly Program[] = [
  { reader: "Node", name: "util.parseEnv", read: async (text) => parseEnv(text) as Record<string, string> },
  { reader: "python-dotenv", name: "python-dotenv", read: readPython, isMissing: python === undefined },
  { reader: "bash", name: "bash", read: readShell("bash", "--norc"), isMissing: !has("bash", "-c", "exit 0") },
  { reader: "bash", name: "sh", read: readShell("sh"), isMissing: !has("sh", "-c", "exit 0") },
  { reader: "bash", name: "zsh", read: readShell("zsh", "-f"), isMissing: !has("zsh", "-c", "exit 0") },
  { reader: "Docker Compose", name: "the rules of Docker Compose", read: async (text) => readComposeEnv(text) },
  { reader: "direnv", name: "direnv", read: readDirenv, isMissing: !has("direnv", "version") },
];

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

describe.each(PROGRAMS)("$name", ({ reader, read, isMissing = false }) => {
  const written = all.filter(isHeld((entries) => writeForMost(entries).text));
  const differs = (entry: NamedValue) =>
    writeForMost([entry]).differing.some(({ readers }) => readers.includes(reader));
  const same = written.filter((entry) => !differs(entry));

  it.skipIf(isMissing)("reads every value of dotenv that is not reported as differing", async () => {
    expect(same.length).toBeGreaterThan(written.length / 2);
    expect(await read(writeForMost(same).text)).toMatchObject(asText(same));
    const reversed = same.toReversed();
    expect(await read(writeForMost(reversed).text)).toMatchObject(asText(reversed));
  });

  it.skipIf(isMissing)("differs where it is reported to", async () => {
    expect(await read("OK=x\n")).toMatchObject({ OK: "x" });
    const cannotRead = () => ({});
    const hard = entriesOf(Object.values(HARD_TEXTS)).filter(differs);
    for (const entry of hard) {
      const { text } = writeForMost([entry]);
      expect(await read(text).catch(cannotRead), text).not.toMatchObject(asText([entry]));
    }
  });
});
