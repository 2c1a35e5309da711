import { expect, it } from "vitest";
import { writeFish, writeShell } from "../../src/formats/lines.js";
import { asText, expectAllRefused, expectSame, fileWith, has, output, refusal, table } from "../formats/consumers.js";
import { entriesOf, hasLoneSurrogate } from "../formats/nasty-values.js";

const DUMP = `exec "$NODE" -e 'console.log(JSON.stringify(process.env))'`;

const { held, refused } = table((text) => !text.includes("\0") && !hasLoneSurrogate(text));

/** The variables called V and a number that a program ends up with in its environment. */
async function environment(shell: string, args: readonly string[], file: string): Promise<Record<string, string>> {
  const text = await output(shell, [...args, file], { NODE: process.execPath });
  return Object.fromEntries(Object.entries<string>(JSON.parse(text)).filter(([name]) => /^V\d+$/.test(name)));
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

  it.skipIf(missing)(`${[shell, ...args].join(" ")} evaluates every value to itself (skipped without it)`, async () => {
    const file = await fileWith("vars.sh", writeShell(held));
    expectSame(await environment(shell, [...args, `eval "$(cat "$0")"; ${DUMP}`], file), asText(held));
  });

  it.skipIf(missing)(`${[shell, ...args].join(" ")} sources every value as itself (skipped without it)`, async () => {
    const file = await fileWith("vars.sh", writeShell(held));
    expectSame(await environment(shell, [...args, `. "$0"; ${DUMP}`], file), asText(held));
  });
}

for (const locale of ["C", "C.UTF-8"]) {
  const missing = !has("fish", "--version");

  it.skipIf(missing)(`fish sources every value as itself in the locale ${locale} (skipped without fish)`, async () => {
    const file = await fileWith("vars.fish", writeFish(held));
    const script = `set -gx LC_ALL ${locale}; cat $argv[1] | source; ${DUMP.replace('"$NODE"', "$NODE")}`;
    expectSame(await environment("fish", ["--no-config", "-c", script], file), asText(held));
  });
}

it.skipIf(!has("fish", "--version"))(
  "fish keeps variables that end in PATH as they are (skipped without fish)",
  async () => {
    const values = { PATH: "/bin:/usr/bin", MY_PATH: "a::b:", MANPATH: "", CDPATH: "a:b" };
    const entries = Object.entries(values).map(([name, value]) => ({ name, type: "STRING" as const, value }));
    const file = await fileWith("vars.fish", writeFish(entries));
    const script = `source $argv[1]; ${DUMP.replace('"$NODE"', "$NODE")}`;
    const text = await output("fish", ["--no-config", "-c", script, file], { NODE: process.execPath });
    expect(JSON.parse(text)).toMatchObject(values);
  },
);

it("values that an environment or UTF-8 can't hold are refused, all in one error", () => {
  expectAllRefused(writeShell, refused, held);
  expectAllRefused(writeFish, refused, held);
});

it("names that are not of a shell, or that a shell keeps, are refused with the reason", () => {
  const named = (...names: string[]) => names.map((name) => ({ name, type: "STRING" as const, value: "secret" }));
  expect(
    refusal(writeShell, [...named("a.b", "OK", "a-b", "UID", "OPTIND"), { ...named("K")[0], value: "\0" } as never]),
  ).toBe(
    "these can't be written as shell: a.b (not a shell name), a-b (not a shell name), " +
      "UID (reserved by the shell), OPTIND (reserved by the shell), K (its value contains a NUL)",
  );
  expect(refusal(writeFish, named("a.b", "status", "PWD", "OK"))).toBe(
    "these can't be written as fish: a.b (not a shell name), status (reserved by fish), PWD (reserved by fish)",
  );
});

it("fish's PATH is refused with an empty element, which fish would write as a dot", () => {
  const path = (value: string) => [{ name: "PATH", type: "STRING" as const, value }];
  expect(writeFish(path("/bin:/usr/bin"))).toBe("set -gx PATH '/bin:/usr/bin'\n");
  for (const value of ["", "/bin:", ":/bin", "/a::/b"])
    expect(refusal(writeFish, path(value))).toMatch(/^[^/]*PATH \(fish/);
});

it("values that are no text are compact JSON", () => {
  expect(writeShell(entriesOf([{ a: ["it's", 1] }, true, 1.5, null]))).toBe(
    `export V0='{"a":["it'\\''s",1]}'\nexport V1='true'\nexport V2='1.5'\nexport V3='null'\n`,
  );
});

it("nothing is written for nothing", () => {
  expect(writeShell([])).toBe("");
  expect(writeFish([])).toBe("");
});
