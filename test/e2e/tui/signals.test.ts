import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { has } from "../../formats/consumers.js";
import { BINARY, isRunning } from "../../support/binary.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { type Terminal, terminal } from "../../support/terminal.js";

const MOUSE = "\x1b[?1000h\x1b[?1006h";
const ENTER = `\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h${MOUSE}`;
const LEAVE = "\x1b[0m\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[?7h\x1b[?1049l";

interface Tui extends Terminal {
  pid: number;
  folder: string;
}

/** The words that start the TUI in a shell on a data file. */
async function tuiCommand(): Promise<string> {
  return `'${process.execPath}' '${BINARY}' tui --data '${(await dataFile(DATA)).path}'`;
}

/** The TUI as the only program of a terminal, with stderr in a file. */
async function tui(env: Record<string, string> = {}): Promise<Tui> {
  const folder = await temporaryFolder();
  const tty = terminal(`echo "pid=$$;"; exec ${await tuiCommand()} 2>'${folder}/stderr'`, env);
  await tty.until(/shop\/development/);
  return { ...tty, folder, pid: Number(/pid=(\d+);/.exec(tty.written())?.[1]) };
}

const stderrOf = ({ folder }: Tui) => readFile(join(folder, "stderr"), "utf8");

function countOf(sequence: string, { written }: Terminal): number {
  return written().split(sequence).length - 1;
}

// Skipped without `script` from util-linux, which makes the terminal.
describe.skipIf(!has("script", "--version"))("the terminal is as it was", () => {
  it("the terminal is restored after q, with its modes, and nothing is left on it", async () => {
    const tty = terminal(`stty -g; ${await tuiCommand()}; stty -g; echo over`, {});
    await tty.until(/shop\/development/);
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
    const [before, seen, after] = tty
      .written()
      .split(new RegExp(`${quoted(ENTER)}|${quoted(LEAVE)}`));
    expect(after).toBe(`${before}over\r\n`);
    expect(seen).toContain("shop/development");
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
  ] as const)(
    "the terminal is restored after %s, and the exit code is %d",
    async (signal, code) => {
      const tty = await tui();
      process.kill(tty.pid, signal);
      expect(await tty.exitCode).toBe(code);
      expect(tty.written().endsWith(LEAVE)).toBe(true);
      expect(await stderrOf(tty)).toBe("");
    },
  );

  it.each([
    ["an uncaught exception", 'throw new Error("boom")', 1, "appvars: boom\n"],
    ["an unhandled rejection", 'Promise.reject(new Error("boom"))', 1, "appvars: boom\n"],
    ["process.exit", "process.exit(3)", 3, ""],
  ])("after %s", async (_what, fault, code, told) => {
    const injected = `process.on("SIGUSR2", () => { ${fault} })`;
    const tty = await tui({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(injected)}`,
    });
    process.kill(tty.pid, "SIGUSR2");
    expect(await tty.exitCode).toBe(code);
    expect(tty.written().endsWith(LEAVE)).toBe(true);
    expect(await stderrOf(tty)).toBe(told);
  });

  it("the TUI exits silently when its terminal is closed", async () => {
    const tty = await tui();
    tty.close();
    await expect.poll(() => isRunning(tty.pid), { timeout: 10_000 }).toBe(false);
    expect(await stderrOf(tty)).toBe("");
  });

  it("the TUI ends an editor and removes its file when the terminal is closed", async () => {
    const slow =
      'exec 2>/dev/null; trap "" HUP; trap "echo ending; sleep 1; exit" TERM; echo "$0=$1=$$="; while :; do sleep .1; done';
    const tty = await tui({ EDITOR: `sh -c '${slow}' file` });
    await expect
      .poll(() => stripVTControlCharacters(tty.written()), { timeout: 20_000 })
      .toMatch(/\d s old/);
    tty.type("E");
    await tty.until(/file=/);
    const [, path = "", pid] = /file=(.*)=(\d+)=/.exec(tty.written()) ?? [];
    expect(existsSync(path)).toBe(true);
    // Both the shell and the kernel report the closed terminal.
    process.kill(tty.pid, "SIGHUP");
    await tty.until(/ending/);
    tty.close();
    await expect
      .poll(() => [isRunning(tty.pid), isRunning(Number(pid))], { timeout: 15_000 })
      .toEqual([false, false]);
    expect([existsSync(path), await stderrOf(tty)]).toEqual([false, ""]);
  });

  it.each([
    ["Ctrl-Z", (tty: Tui) => tty.type("\x1a")],
    ["SIGTSTP", (tty: Tui) => process.kill(tty.pid, "SIGTSTP")],
  ])("the TUI is not suspended by %s where no shell could continue it", async (_what, suspend) => {
    const tty = await tui();
    suspend(tty);
    await expect
      .poll(() => [countOf(ENTER, tty), countOf(LEAVE, tty)], { timeout: 20_000 })
      .toEqual([2, 1]);
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
  });

  it("the terminal is not asked to report the mouse with --no-mouse", async () => {
    const tty = terminal(`${await tuiCommand()} --no-mouse`, {});
    await tty.until(/shop\/development/);
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
    expect(tty.written()).not.toContain("\x1b[?1000h");
  });

  it("the TUI continues after a signal that it ignores", async () => {
    const tty = await tui();
    process.kill(tty.pid, "SIGUSR2");
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
    expect(tty.written().endsWith(LEAVE)).toBe(true);
  });

  // On a busy machine, SIGCONT rarely comes before the process has stopped.
  it("the TUI is redrawn after SIGSTOP and SIGCONT", { retry: 2 }, async () => {
    const tty = await tui();
    process.kill(tty.pid, "SIGSTOP");
    process.kill(tty.pid, "SIGCONT");
    await tty.until(/shop\/development/);
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
    expect(tty.written().endsWith(LEAVE)).toBe(true);
  });
});

describe.skipIf(!has("script", "--version"))("without color", () => {
  it("the TUI shows the cursor without colors if NO_COLOR is set", async () => {
    const tty = await tui({ NO_COLOR: "1" });
    await expect.poll(() => tty.written(), { timeout: 10_000 }).toContain("\x1b[7m");
    tty.type("q");
    expect(await tty.exitCode).toBe(0);
    expect(tty.written()).not.toMatch(/\x1b\[(3|4|9|10)[0-8][;m]/);
  });
});

/** bash sets terminal modes for its own line editing, and sh uses the current ones. */
const SHELLS = ["bash --norc --noprofile --noediting -i", "sh -i"];

describe.skipIf(!has("script", "--version") || !has("bash", "--version"))(
  "a shell with jobs",
  () => {
    it.each(SHELLS)(
      "Ctrl-Z returns the terminal to the shell, and fg resumes the TUI: %s",
      async (shell) => {
        const tty = terminal(`exec ${shell}`, { PS1: "prompt> ", HISTFILE: "/dev/null" });
        await tty.until(/prompt> /);
        tty.type(`${await tuiCommand()}\r`);
        await tty.until(/shop\/development/);
        tty.type("\x1a");
        await tty.until(/Stopped[\s\S]*prompt> /);
        expect(tty.written().lastIndexOf(LEAVE)).toBeGreaterThan(tty.written().lastIndexOf(ENTER));
        tty.type("echo typed\r");
        await tty.until(/typed\r\n[\s\S]*typed\r\n[\s\S]*prompt> /);
        tty.type("fg\r");
        await tty.until(/shop\/development/);
        // On a busy machine, the screen is redrawn a third time, for a signal that arrives after
        // the timeout.
        await expect.poll(() => countOf(ENTER, tty), { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
        tty.type("q");
        await tty.until(/prompt> /);
        await expect.poll(() => countOf(LEAVE, tty), { timeout: 20_000 }).toBe(2);
      },
    );

    it("the TUI uses the whole terminal if it was resized before fg", async () => {
      const tty = terminal("exec sh -i", { PS1: "prompt> " });
      await tty.until(/prompt> /);
      tty.type(`stty cols 80 rows 24; ${await tuiCommand()}\r`);
      await tty.until(/shop\/development/);
      tty.type("\x1a");
      await tty.until(/Stopped[\s\S]*prompt> /);
      tty.type("stty cols 90 rows 31; fg\r");
      await expect.poll(() => tty.written(), { timeout: 20_000 }).toContain("\x1b[31;1H");
      tty.type("q");
      await tty.until(/prompt> /);
    });
  },
);

function quoted(text: string): string {
  return text.replace(/[\\[\]?]/g, "\\$&");
}
