import { expect, it } from "vitest";
import { writeFish, writeShell } from "../../src/formats/lines.js";
import { asText, expectSame, fileWith, has, output, table } from "../formats/consumers.js";
import { hasLoneSurrogate } from "../formats/nasty-values.js";

const DUMP = `exec "$NODE" -e 'console.log(JSON.stringify(process.env))'`;

const { held } = table((text) => !text.includes("\0") && !hasLoneSurrogate(text));

/** The variables called V and a number that a program ends up with in its environment. */
async function environment(
  shell: string,
  args: readonly string[],
  file: string,
): Promise<Record<string, string>> {
  const text = await output(shell, [...args, file], { NODE: process.execPath });
  return Object.fromEntries(
    Object.entries<string>(JSON.parse(text)).filter(([name]) => /^V\d+$/.test(name)),
  );
}

const POSIX_SHELLS = [
  ["sh", ["-c"]],
  ["dash", ["-c"]],
  ["bash", ["--norc", "-c"]],
  ["bash", ["--norc", "--posix", "-c"]],
  ["zsh", ["-f", "-c"]],
] as const;

for (const [shell, args] of POSIX_SHELLS) {
  const missing = !has(shell, "-c", "exit 0");

  it.skipIf(missing)(
    `${[shell, ...args].join(" ")} evaluates every value to itself (skipped without it)`,
    async () => {
      const file = await fileWith("vars.sh", writeShell(held));
      expectSame(
        await environment(shell, [...args, `eval "$(cat "$0")"; ${DUMP}`], file),
        asText(held),
      );
    },
  );

  it.skipIf(missing)(
    `${[shell, ...args].join(" ")} sources every value as itself (skipped without it)`,
    async () => {
      const file = await fileWith("vars.sh", writeShell(held));
      expectSame(await environment(shell, [...args, `. "$0"; ${DUMP}`], file), asText(held));
    },
  );
}

for (const locale of ["C", "C.UTF-8"]) {
  const missing = !has("fish", "--version");

  it.skipIf(missing)(
    `fish sources every value as itself in the locale ${locale} (skipped without fish)`,
    async () => {
      const file = await fileWith("vars.fish", writeFish(held));
      const script = `set -gx LC_ALL ${locale}; cat $argv[1] | source; ${DUMP.replace('"$NODE"', "$NODE")}`;
      expectSame(await environment("fish", ["--no-config", "-c", script], file), asText(held));
    },
  );
}

it.skipIf(!has("fish", "--version"))(
  "fish keeps variables that end in PATH as they are (skipped without fish)",
  async () => {
    const values = { PATH: "/bin:/usr/bin", MY_PATH: "a::b:", MANPATH: "", CDPATH: "a:b" };
    const entries = Object.entries(values).map(([name, value]) => ({
      name,
      type: "STRING" as const,
      value,
    }));
    const file = await fileWith("vars.fish", writeFish(entries));
    const script = `source $argv[1]; ${DUMP.replace('"$NODE"', "$NODE")}`;
    const text = await output("fish", ["--no-config", "-c", script, file], {
      NODE: process.execPath,
    });
    expect(JSON.parse(text)).toMatchObject(values);
  },
);
