import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { shellWord } from "../../src/kit/text/shell.js";
import { checkScript } from "../support/scripts/check-script.js";
import { ShellSession } from "../support/scripts/shell-session.js";

const check = (text: string, timeout = 20) =>
  checkScript(text, { file: "x.txt", open: ShellSession.open, timeout });

/** The output of this command as lines of a script. */
async function outputOf(command: string): Promise<string> {
  return (await check(`$ ${command}\n`)).rewritten.split("\n").slice(1).join("\n");
}

const PROGRAM = `-- program.mjs --
process.on("SIGTERM", () => {
  console.error("stopping");
  process.exit(3);
});
console.error("starting");
console.log("export GREETING=hello");
setInterval(() => {}, 1e6);
`;

describe("a script passes", () => {
  it.each([
    [
      "with stdout, stderr and exit code as they are",
      "$ echo a; echo b >&2; (exit 3)\na\n! b\n[3]\n",
    ],
    ["with nothing where nothing comes", "$ true\n"],
    ["with empty lines at the end", "$ echo; echo a; echo\n\na\n\\\n"],
    ["without a newline at the end", "$ printf a\na<no newline>\n"],
    ["with placeholders", '$ printf "x:80\\t%032d\\n" 0; pwd\nx:<port><tab><hex32>\n<folder>\n'],
    [
      "with variables, functions and the folder of the commands before",
      "$ a=1; f() { echo $a; }; cd /\n\n$ f; pwd\n1\n/\n",
    ],
    ["with commands of several lines", "$ for i in 1 2; do\n>   echo $i\n> done\n1\n2\n"],
    ["with its files", "$ cat a/b\nx\n-- a/b --\nx\n"],
    ["when its last command ends the shell", "$ exit 3\n[3]\n"],
    [
      "with a program in the background, its exports and its end",
      `& node program.mjs\nexport GREETING=hello\n! starting\n\n$ echo $GREETING\nhello\n\n^TERM\n! stopping\n[3]\n${PROGRAM}`,
    ],
    [
      "with a program in the background that ends by itself",
      "& sh -c 'echo x >&2; exit 4'\n! x\n[4]\n",
    ],
    [
      "with a program in the background that ends by a signal",
      "& sh -c 'echo x; exec sleep 1000'\nx\n\n^C\n[130]\n",
    ],
  ])("%s", async (_what, text) => {
    expect(await check(text)).toEqual({ problems: [], rewritten: text });
  });
});

describe("a script fails for", () => {
  it.each([
    ["wrong stdout", "$ echo a\nb\n"],
    ["wrong stderr", "$ echo a >&2\n! b\n"],
    ["wrong exit code", "$ (exit 3)\n[4]\n"],
    ["an exit code that is not expected", "$ (exit 3)\n"],
    ["an exit code that does not come", "$ true\n[1]\n"],
    ["a missing line", "$ echo a\na\nb\n"],
    ["a line too many", "$ echo a; echo b\na\n"],
    ["output where none is expected", "$ echo a\n"],
    ["no output where some is expected", "$ true\na\n"],
    ["stdout on stderr", "$ echo a >&2\na\n"],
    ["stderr on stdout", "$ echo a\n! a\n"],
    ["lines in another order", "$ echo a; echo b\nb\na\n"],
    ["an empty line too many", "$ echo a; echo\na\n"],
    ["no newline at the end", "$ printf a\na\n"],
    ["a newline at the end", "$ echo a\na<no newline>\n"],
    ["too little for a placeholder", "$ echo 012345678901234567890123456789a\n<hex32>\n"],
    ["too much for a placeholder", "$ echo 123456\n<port>\n"],
    ["an error of syntax", "$ echo )\n"],
    ["a dot, which is no pattern", "$ echo abc\na.c\n"],
    ["a placeholder that is none", "$ echo abc\n<text>\n"],
    ["a placeholder after a backslash", "$ echo 80\n\\<port>\n"],
    [
      "output in the background",
      `& node program.mjs\nexport GREETING=hallo\n! starting\n${PROGRAM}`,
    ],
    [
      "output when that stops",
      `& node program.mjs\nexport GREETING=hello\n! starting\n^TERM\n[3]\n${PROGRAM}`,
    ],
    [
      "its exit code",
      `& node program.mjs\nexport GREETING=hello\n! starting\n^TERM\n! stopping\n${PROGRAM}`,
    ],
  ])("%s", async (_what, text) => {
    expect((await check(text)).problems).toHaveLength(1);
  });

  it("a shell that is gone before the last command", async () => {
    await expect(check("$ exit 3\n\n$ echo a\na\n")).rejects.toThrow(
      "x.txt:1: exit 3\n  + [3]\n\nx.txt: the shell has ended before line 3",
    );
  });

  it("a command without an end", async () => {
    await expect(check("$ sleep 1000\n", 0.2)).rejects.toThrow("x.txt: killed after 0.2 s");
  });

  it("a program in the background that neither prints nor ends", async () => {
    await expect(check("& sleep 1000\n", 0.2)).rejects.toThrow("x.txt: killed after 0.2 s");
  });
});

it("shows the line and the text that differ", async () => {
  const { problems } = await check("# x\n\n$ printf 'a\\nb\\nc\\n'\na\nB\nc\n[1]\n\n$ echo\n\\\n");
  expect(problems).toEqual([
    "x.txt:3: printf 'a\\nb\\nc\\n'\n    a\n  - B\n  - c\n  - [1]\n  + b\n  + c",
  ]);
});

describe("a script is rewritten", () => {
  it("with placeholders kept, and commands, comments and files as they are", async () => {
    const text = "# x\n$ echo 80; echo c\n<port>\nb\n\n# y\n$ (exit 2)\n[1]\n\n-- a --\nb\n";
    const { rewritten } = await check(text);
    expect(rewritten).toBe(
      "# x\n$ echo 80; echo c\n<port>\nc\n\n# y\n$ (exit 2)\n[2]\n\n-- a --\nb\n",
    );
    expect(await check(rewritten)).toEqual({ problems: [], rewritten });
  });

  it.each([
    "$ a",
    "& a",
    "> a",
    "! a",
    "!a",
    "# a",
    "\\a",
    "^C",
    "[1]",
    "-- a --",
    "<port>",
    "a<no newline>",
    "",
    "[a-z].*$",
    "\u001b[1m\t",
    "127.0.0.1:34567 0123456789abcdef0123456789abcdef 2026-01-01T00:00:00.000Z",
  ])("so that it expects a line like %j", async (line) => {
    for (const stream of ["", " >&2"]) {
      const { rewritten } = await check(`$ printf '%s\\n' ${shellWord(line)}${stream}\n\n$ true\n`);
      expect((await check(rewritten)).problems).toEqual([]);
    }
  });

  it.each([
    ["the folder", "pwd", "<folder>\n"],
    ["a free port", "echo http://127.0.0.1:34567/", "http://127.0.0.1:<port>/\n"],
    ["a random key", "printf %032d 0", "<hex32><no newline>\n"],
  ])("with a placeholder for %s", async (_what, command, expected) => {
    expect(await outputOf(command)).toBe(expected);
  });
});

it("has an empty home and nothing of this process's environment", async () => {
  vi.stubEnv("APPVARS_URL", "http://127.0.0.1:1");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await outputOf('ls -A "$HOME"; echo "<$APPVARS_URL>"; ls')).toBe("<>\nexample.json\n");
});

it("leaves no process and no file behind", async () => {
  let closed = 0;
  const server = createServer((socket) =>
    socket.on("error", () => {}).on("close", () => closed++),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { rewritten } = await check(`& sh children.sh

$ sh children.sh >children.txt & until grep connected children.txt; do :; done

$ echo "$PWD" | tr / :
-- children.sh --
node connect.mjs & wait
-- connect.mjs --
import { connect } from "node:net";
connect(${(server.address() as AddressInfo).port}, "127.0.0.1", () => console.log("connected"));
`);
  await expect.poll(() => closed).toBe(2);
  const folder = /^:.*$/m.exec(rewritten)?.[0].replaceAll(":", "/") ?? "/";
  expect(folder).toContain("appvars-script-");
  expect(existsSync(folder)).toBe(false);
});
