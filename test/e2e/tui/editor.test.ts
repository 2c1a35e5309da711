import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRunning } from "../../support/binary.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { hasTmux } from "../../support/tmux.js";
import {
  atBottom,
  isOn,
  openShell,
  openTuiInTmux,
  READY,
  START,
  type Tui,
} from "../../tui/support/tui-in-tmux.js";

/**
 * Records the path of the file, the modes of the file and its folder, its content, and the editor's
 * process id.
 */
const KEEP = `
kept=$(dirname "$0")
echo "$1" >"$kept/path"
stat -c '%a' "$1" "$(dirname "$1")" >"$kept/modes"
cp "$1" "$kept/text"
echo $$ >"$kept/pid"`;

/** An editor that does this with the file \`$1\`, and the details it keeps. */
async function editor(script: string) {
  const folder = await temporaryFolder();
  const program = join(folder, "editor");
  await writeFile(program, `#!/bin/sh${KEEP}\n${script}\n`, { mode: 0o755 });
  const kept = async (name: "path" | "modes" | "text" | "pid") =>
    (await readFile(join(folder, name), "utf8")).trim();
  return {
    env: { EDITOR: program },
    kept,
    expectRemoved: async () => expect(existsSync(await kept("path"))).toBe(false),
  };
}

/** Waits for Enter, and changes the terminal's modes before and after that. */
const WAITING = `stty -icanon; trap 'echo interrupted' INT; trap 'echo resumed' CONT; echo ready; while ! read line; do :; done`;

/** Makes the program throw on SIGUSR2. */
const FAULT = 'process.on("SIGUSR2", () => { throw new Error("boom"); })';
const FAULTY = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}` };

/**
 * The TUI in a shell that prints its exit code, and whether the modes of the terminal are restored.
 */
async function openAnnounced(env: Record<string, string>): Promise<Tui> {
  const tui = await openShell({ env });
  await tui.run(
    `stty -a >before; ${START}; echo "ended $?"; stty -a >after; cmp before after && echo as before`,
  );
  await tui.until(READY);
  return tui;
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal, the person's own editor", () => {
  it("in a terminal E opens JSON in an editor, in a private file, and the change is confirmed and written", async () => {
    const { env, kept, expectRemoved } = await editor(`sed -i 's/true/"edited"/' "$1"`);
    const tui = await openTuiInTmux({ env });
    await tui.keys("j", "j", "j", "E");
    await tui.until(/Change FLAGS in shop\/development\?/, /\+ .*"edited"/);
    expect(await kept("text")).toMatch(/^\{\n {2}"checkout_v2": /);
    expect(await kept("path")).toMatch(/\/appvars-edit-[^/]*\/FLAGS\.json$/);
    expect(await kept("modes")).toBe("600\n700");
    await expectRemoved();
    expect(await tui.alternateOn()).toBe(true);
    await tui.keys("Enter");
    await tui.until(atBottom(/✓ changed FLAGS; u undoes it/));
    expect(await tui.saved()).toContain('"edited"');
  });

  it("in a terminal, invalid text returns to the form, from which Alt-E opens the editor again", async () => {
    const { env, kept } = await editor(`printf 'many' >"$1"`);
    const tui = await openTuiInTmux({ env });
    await tui.keys("j", "E");
    await tui.until(/Edit in shop\/development/, /› value +many/, /✗ .*NUMBER/);
    await tui.keys("BSpace", "M-e");
    await expect.poll(() => kept("text")).toBe("man");
  });

  it("keys typed before the editor has the terminal don't move the cursor away from the text", async () => {
    const { env } = await editor(`echo new >"$1"`);
    const tui = await openTuiInTmux({ env });
    await tui.keys("E", "h", "j", "Enter");
    await tui.until(/Change DATABASE_URL in shop\/development\?/);
  });

  it("terminal modes that a crashed editor left on are reset", async () => {
    const { env } = await editor("printf '\\033[4h\\033[?1h\\033='; kill -9 $$");
    const tui = await openTuiInTmux({ env });
    await tui.keys("E");
    await tui.until(atBottom(/✗ .*editor was killed/));
    expect(await tui.programModes()).toBe("000");
  });

  it.each([
    ["fails", "exit 3", atBottom(/✗ .*editor exited with 3: DATABASE_URL is unchanged/)],
    ["changes nothing", "", atBottom(/DATABASE_URL is unchanged/)],
  ])(
    "in a terminal, an editor that %s changes nothing, and its file is removed",
    async (_what, script, expected) => {
      const { env, expectRemoved } = await editor(script);
      const tui = await openTuiInTmux({ env });
      await tui.keys("E");
      await tui.until(expected, isOn("DATABASE_URL"));
      await expectRemoved();
    },
  );

  it("in a terminal, an editor that is missing is reported", async () => {
    const tui = await openTuiInTmux({ env: { VISUAL: "no-such-editor --wait" } });
    await tui.keys("E");
    await tui.until(
      atBottom(/✗ no-such-editor can't be started \(ENOENT\): DATABASE_URL is unchanged/),
    );
  });

  it("Ctrl-C and Ctrl-Z go to the editor, and the modes that it leaves on are reset", async () => {
    const { env, expectRemoved } = await editor(WAITING);
    const tui = await openAnnounced(env);
    await tui.keys("E");
    await tui.until(/^ready$/m);
    expect(await tui.alternateOn()).toBe(false);
    await tui.keys("C-c");
    await tui.until(/interrupted/);
    await tui.keys("C-z");
    await tui.until(/Stopped/);
    await tui.run("fg");
    // Until then, the shell reads the keys.
    await tui.until(/^resumed$/m);
    await tui.keys("Enter");
    await tui.until(atBottom(/DATABASE_URL is unchanged/));
    await expectRemoved();
    await tui.keys("C-z");
    await tui.until(/Stopped/);
    await tui.run("stty -a >after; clear; cmp before after && echo as before");
    await tui.until(/^as before$/m);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGUSR2", 1],
  ] as const)(
    "after %s the editor is ended, its file is removed, and the terminal is restored",
    async (signal, code) => {
      const { env, kept, expectRemoved } = await editor(WAITING);
      const tui = await openAnnounced({ ...env, ...FAULTY });
      await tui.keys("E");
      await tui.until(/^ready$/m);
      await tui.kill(signal);
      await tui.until(new RegExp(`^ended ${code}$`, "m"), /^as before$/m);
      await expectRemoved();
      await expect.poll(async () => isRunning(Number(await kept("pid")))).toBe(false);
    },
  );

  it("files of a killed TUI are removed at the next start", async () => {
    const { env, kept } = await editor("echo ready; exec sleep 60");
    const tui = await openAnnounced(env);
    await tui.keys("E");
    await tui.until(/^ready$/m);
    await tui.kill("SIGKILL");
    await tui.until(/^ended 137$/m, /^as before$/m);
    expect(existsSync(await kept("path"))).toBe(true);
    process.kill(Number(await kept("pid")), "SIGKILL");
    await tui.run(START);
    await tui.until(READY);
    await expect.poll(async () => existsSync(await kept("path"))).toBe(false);
  });
});
