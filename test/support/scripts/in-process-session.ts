import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { userFolders } from "../../../src/kit/process/this-process.js";
import { runCli } from "../cli.js";
import { parseLine, type Redirection, type SimpleCommand, type Word } from "./parse-line.js";
import type { Output, Session } from "./session.js";

interface Background {
  readonly done: Promise<number>;
  readonly stop: () => void;
  /** Its output since the last call. */
  unread: { stdout: string; stderr: string };
}

type Texts = Omit<Output, "code"> & { code: number };
type Program = (args: string[], stdin: string) => Texts | Promise<Texts>;

const printed = (stdout: string): Texts => ({ code: 0, stdout, stderr: "" });

/**
 * Runs the command line in this process, with the little of a shell that test/scripts/README.md
 * lists.
 */
export class InProcessSession implements Session {
  readonly hasEnded = false;
  readonly #env: Record<string, string>;
  readonly #background: Background[] = [];
  readonly #before = process.cwd();

  /** @param folder the current folder of this process until {@link close} */
  constructor({ folder, env }: { folder: string; env: Record<string, string> }) {
    this.#env = { ...env };
    process.chdir(folder);
  }

  async run(command: string): Promise<Texts> {
    const outputs = { stdout: "", stderr: "" };
    let code = 0;
    for (const pipeline of parseLine(command)) {
      let stdin = "";
      for (const [index, simple] of pipeline.entries()) {
        const result = await this.#call(simple, stdin);
        code = result.code;
        outputs.stderr += result.stderr;
        if (index === pipeline.length - 1) outputs.stdout += result.stdout;
        else stdin = result.stdout;
      }
    }
    return { ...outputs, code };
  }

  async start(command: string): Promise<Output> {
    const [[{ assignments = [], words = [] } = {}] = []] = parseLine(command);
    const [, ...args] = await this.#expandAll(words);
    const env = { ...this.#env, ...(await this.#values(assignments)) };
    const unread = { stdout: "", stderr: "" };
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    let done: Promise<number> = Promise.resolve(0);
    const hasPrinted = new Promise<void>((resolve) => {
      const onStdout = (text: string) => {
        unread.stdout += text;
        resolve();
      };
      const onStderr = (text: string) => {
        unread.stderr += text;
      };
      done = this.#appvars(args, { env, untilStopped: () => stopped, onStdout, onStderr }).then(
        ({ code }) => code,
      );
    });
    const started = { done, stop, unread };
    this.#background.push(started);
    const code = await Promise.race([hasPrinted.then(() => undefined), done]);
    const output = take(started, code);
    for (const line of output.stdout.match(/^export .*$/gm) ?? []) await this.run(line);
    return output;
  }

  async stop(): Promise<Output> {
    const last = this.#background.pop();
    if (!last) throw new Error("nothing runs in the background");
    last.stop();
    return take(last, await last.done);
  }

  async close(): Promise<void> {
    for (const { stop } of this.#background) stop();
    await Promise.all(this.#background.map(({ done }) => done));
    process.chdir(this.#before);
  }

  async #call({ assignments, words, redirections }: SimpleCommand, piped: string): Promise<Texts> {
    const [name, ...args] = await this.#expandAll(words);
    const values = await this.#values(assignments);
    if (name === undefined) {
      Object.assign(this.#env, values);
      return printed("");
    }
    const input = redirections.find(({ operator }) => operator === "<");
    const stdin = input ? await readFile(await this.#expand(input.target), "utf8") : piped;
    const program = name === "appvars" ? this.#appvarsWith(values) : this.#programs[name];
    if (!program) throw new Error(`${name} needs a shell: move the session to test/e2e/scripts`);
    return this.#redirected(await program(args, stdin), redirections);
  }

  async #redirected(texts: Texts, redirections: readonly Redirection[]): Promise<Texts> {
    const result = { ...texts };
    for (const { operator, target } of redirections) {
      if (operator === "<") continue;
      const stream = operator === ">" ? "stdout" : "stderr";
      const path = await this.#expand(target);
      if (path !== "/dev/null") await writeFile(path, result[stream], { mode: 0o600 });
      result[stream] = "";
    }
    return result;
  }

  readonly #programs: Record<string, Program> = {
    cat: async (files) =>
      printed((await Promise.all(files.map((file) => readFile(file, "utf8")))).join("")),
    cd: ([folder = ""]) => {
      process.chdir(folder);
      return printed("");
    },
    chmod: async ([mode = "", file = ""]) => {
      await chmod(file, Number.parseInt(mode, 8));
      return printed("");
    },
    cp: async ([from = "", to = ""]) => {
      await copyFile(from, to);
      return printed("");
    },
    echo: (words) => printed(`${words.join(" ")}\n`),
    eval: ([line = ""]) => this.run(line),
    export: (words) => {
      for (const word of words) {
        const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(word) ?? [];
        this.#env[name] = value;
      }
      return printed("");
    },
    grep: (words, stdin) => {
      const patterns = words.filter((word) => !word.startsWith("-"));
      const found =
        stdin.match(/.*\n/g)?.filter((line) => patterns.some((pattern) => line.match(pattern))) ??
        [];
      return { ...printed(found.join("")), code: found.length > 0 ? 0 : 1 };
    },
    ls: async () =>
      printed(
        (await readdir("."))
          .sort()
          .map((name) => `${name}\n`)
          .join(""),
      ),
    mkdir: async (words) => {
      for (const word of words) await mkdir(word, { recursive: true });
      return printed("");
    },
    rm: async (files) => {
      for (const file of files) await rm(file);
      return printed("");
    },
    unset: (names) => {
      for (const name of names) delete this.#env[name];
      return printed("");
    },
  };

  #appvarsWith(values: Record<string, string>): Program {
    return (args, stdin) => this.#appvars(args, { env: { ...this.#env, ...values }, stdin });
  }

  #appvars(
    args: string[],
    options: { env: Record<string, string> } & Parameters<typeof runCli>[1],
  ) {
    const folders = userFolders(options.env, process.platform, () => options.env["HOME"] ?? "");
    return runCli(args, { cwd: process.cwd(), ...folders, ...options });
  }

  async #values(assignments: SimpleCommand["assignments"]): Promise<Record<string, string>> {
    const values: Record<string, string> = {};
    for (const { name, value } of assignments) values[name] = await this.#expand(value);
    return values;
  }

  async #expandAll(words: readonly Word[]): Promise<string[]> {
    const expanded: string[] = [];
    for (const word of words) expanded.push(await this.#expand(word));
    return expanded;
  }

  async #expand(word: Word): Promise<string> {
    let text = "";
    for (const part of word) {
      if (part.kind === "text") text += part.text;
      else if (part.kind === "variable") text += this.#env[part.text] ?? "";
      else text += (await this.run(part.text)).stdout.replace(/\n+$/, "");
    }
    return text;
  }
}

function take(background: Background, code: number | undefined): Output {
  const output = { ...background.unread, code };
  background.unread.stdout = background.unread.stderr = "";
  return output;
}
