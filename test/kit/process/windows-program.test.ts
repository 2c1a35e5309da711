import type { ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { killTree, prepareProgram } from "../../../src/kit/process/windows-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

// cross-spawn reads the platform when it is loaded, and so does its search for programs.
const { platform } = vi.hoisted(() => {
  const platform = process.platform;
  Object.defineProperty(process, "platform", { value: "win32" });
  return { platform };
});
afterAll(() => void Object.defineProperty(process, "platform", { value: platform }));

let env: Record<string, string> = {};
beforeEach(async () => {
  vi.stubEnv("TEMP", process.env["TMPDIR"] ?? "/tmp");
  const folder = await temporaryFolder();
  const bin = join(folder, "node_modules", ".bin");
  await mkdir(bin, { recursive: true });
  for (const name of ["npm.CMD", "old.BAT", "node.EXE"]) await writeFile(join(folder, name), "");
  await writeFile(join(folder, "script.JS"), "");
  await writeFile(join(bin, "shim.CMD"), "");
  vi.stubEnv("PATHEXT", ".EXE;.CMD;.BAT;.JS");
  env = { Path: `${folder};${bin}` };
});

/**
 * Replaces variables, as cmd.exe does in a line before anything else, but not in the arguments for
 * `%*`.
 */
function expand(line: string): string {
  const variables: Record<string, string> = { PATH: "C:\\bin", SECRET: "& calc &" };
  return line.replace(
    /%([^%:]+)(?::[^%]*)?%/g,
    (text, name) => variables[name.toUpperCase()] ?? text,
  );
}

/** Removes quotes and `^`, as cmd.exe does next. Fails where it would see a command. */
function readQuotes(line: string): string {
  let isQuoted = false;
  let result = "";
  for (let index = 0; index < line.length; index++) {
    let character = line.charAt(index);
    if (character === "^" && !isQuoted) character = line.charAt(++index);
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[&|<>()\n]/.test(character))
      throw new Error(`a command from ${index} on: ${line}`);
    result += character;
  }
  return result;
}

/** The arguments in a command line, by the rules of programs that Microsoft's compilers make. */
function split(line: string): string[] {
  const words = [
    ...line.matchAll(/"((?:[^"\\]|\\+(?!\\*")|(?:\\\\)*\\"|(?:\\\\)+(?="))*)"|[^\s"]+/g),
  ];
  return words.map(([word, quoted]) =>
    (quoted ?? word).replace(/(\\+)("|$)/g, (_, slashes, end) => {
      const half = "\\".repeat(Math.floor(slashes.length / 2));
      return half + end;
    }),
  );
}

/** The arguments that a program gets from a batch file that passes its own on with `%*`. */
function passedOn(name: string, args: string[]): string[] {
  const { command, args: words, windowsVerbatimArguments } = prepareProgram([name, ...args], env);
  expect(command).toMatch(/cmd\.exe$/i);
  expect([words.slice(0, 3), windowsVerbatimArguments]).toEqual([["/d", "/s", "/c"], true]);
  const line = readQuotes(expand((words[3] ?? "").slice(1, -1)));
  expect(line.startsWith(`${name} `)).toBe(true);
  return split(readQuotes(line.slice(name.length + 1)));
}

const HARMLESS = [
  "a b",
  "",
  "&calc",
  "|x",
  "<a>b",
  "(c)",
  "^",
  "%PATH%",
  "%",
  "100%",
  "!x!",
  "it's",
  "a\\",
  "a b\\",
  "*?",
  ";,=",
];

describe("a batch file", () => {
  it.each(HARMLESS)("passes on %j as it is", (argument) => {
    for (const name of ["npm", "old", "shim"]) {
      expect(passedOn(name, [argument, "last"]), name).toEqual([argument, "last"]);
    }
  });

  it.each(['a"b', 'a" & calc & "', '{"a":1}', '\\"', '"'])(
    "a file of npm passes on %j as it is",
    (argument) => {
      expect(passedOn("shim", [argument, "last"])).toEqual([argument, "last"]);
    },
  );

  it("an argument that a batch file can't get as it is makes an error that does not show it", () => {
    const refused = (name: string, ...args: string[]) => {
      expect(() => prepareProgram([name, ...args], env)).toThrow(
        /^\S+ is a batch file, and an argument for it contains/,
      );
      expect(() => prepareProgram([name, ...args], env)).not.toThrow("calc");
    };
    refused("npm", 'a" & calc & "');
    refused("old", '"calc"');
    refused("shim", "%SECRET:calc=b%");
    refused("npm", "%PATH:~0", ",1% calc");
    refused("npm", "a\ncalc");
    refused("shim", "a\r\ncalc");
  });
});

describe("a program that is no batch file", () => {
  it("a program is started with its arguments as they are", () => {
    expect(prepareProgram(["node", 'a" & b', "%PATH:~0,1%\n"], env)).toEqual({
      command: "node",
      args: ['a" & b', "%PATH:~0,1%\n"],
      windowsVerbatimArguments: undefined,
    });
  });

  it("a script is given to the interpreter in its first line", async () => {
    const path = join(env["Path"]?.split(";")[0] ?? "", "task.JS");
    await writeFile(path, "#!/usr/bin/env node\n");
    expect(prepareProgram(["task", '"'], env)).toMatchObject({
      command: "node",
      args: [path, '"'],
    });
  });

  it.each(["missing", "script"])("cmd.exe is not asked to open %s", (name) => {
    expect(prepareProgram([name, '"'], env)).toEqual({ command: name, args: ['"'] });
  });
});

describe("killTree", () => {
  /**
   * Calls killTree for process 42, and returns how taskkill was called and how often the process
   * itself was killed.
   */
  function kill(event: "exit" | "error", code?: number) {
    const killer = new EventEmitter();
    const start = vi.fn(() => killer as ChildProcess);
    const root = { pid: 42, kill: vi.fn(() => true) };
    killTree(root, { SystemRoot: "D:\\Win" }, start as unknown as typeof spawn);
    killer.emit(event, code);
    return { call: start.mock.lastCall, kills: root.kill.mock.calls };
  }

  it("ends a process and its descendants with the taskkill of the system", () => {
    const { call, kills } = kill("exit", 0);
    expect(call?.slice(0, 2)).toEqual([
      "D:\\Win\\System32\\taskkill.exe",
      ["/PID", "42", "/T", "/F"],
    ]);
    expect(kills).toEqual([]);
  });

  it("ends the process alone without taskkill, or if that fails", () => {
    expect(kill("error").kills).toEqual([["SIGKILL"]]);
    expect(kill("exit", 128).kills).toEqual([["SIGKILL"]]);
  });
});
