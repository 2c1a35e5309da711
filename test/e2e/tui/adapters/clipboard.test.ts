import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCopy } from "../../../../src/tui/adapters/clipboard.js";
import { has } from "../../../formats/consumers.js";
import { isRunning, run } from "../../../support/binary.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { terminal } from "../../../support/terminal.js";

const TEXT = "it's a secret: ünï \\ $(id)\n";
const OSC_52 = `\x1b]52;c;${Buffer.from(TEXT).toString("base64")}\x07`;
/** The longest text that is sent to a terminal. */
const LONGEST = "x".repeat(74_994);

/** Records its stdin, its arguments and its environment. */
const KEEP = 'cat >"$0.stdin"; echo "$*" >"$0.args"; env >"$0.env"';

/** A clipboard with only the given programs, which are sh scripts. */
async function clipboard(programs: Record<string, string>, env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, {
      mode: 0o755,
    });
  }
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  return {
    copy: createCopy({ write, platform: "linux", env: { PATH: folder, ...env } }),
    written: () => written,
    kept: (file: string) => readFile(join(folder, file), "utf8"),
    path: (file: string) => join(folder, file),
  };
}

const X11 = { DISPLAY: ":0" };

describe("copying", () => {
  it("passes the text to a program on stdin, where no process list shows it, and to the terminal", async () => {
    const { copy, written, kept } = await clipboard(
      { xclip: KEEP },
      { ...X11, APPVARS_API_SECRET: "hunter2" },
    );
    expect(await copy(TEXT)).toEqual({ kind: "clipboard" });
    expect(await kept("xclip.stdin")).toBe(TEXT);
    expect(await kept("xclip.args")).toBe("-selection clipboard\n");
    expect(await kept("xclip.env")).toContain("DISPLAY=:0\n");
    expect(await kept("xclip.env")).not.toContain("hunter2");
    expect(written()).toBe(OSC_52);
  });

  it("tries the next clipboard program when one is missing or fails", async () => {
    const env = { ...X11, WAYLAND_DISPLAY: "wayland-0" };
    const { copy, kept } = await clipboard({ xclip: "exit 1", xsel: KEEP }, env);
    expect(await copy(TEXT)).toEqual({ kind: "clipboard" });
    expect(await kept("xsel.stdin")).toBe(TEXT);
  });

  it.each([
    ["there is no desktop", {}, {}, "there is no desktop clipboard here"],
    [
      "it is the desktop of another machine",
      { xclip: KEEP },
      { SSH_CONNECTION: "a b" },
      "there is no desktop clipboard",
    ],
    ["no program works", { xclip: "exit 1" }, X11, "xclip failed, can't start xsel"],
  ])("copy uses only the terminal where %s, and says why", async (_what, programs, env, reason) => {
    const { copy, written } = await clipboard(programs, env);
    expect(await copy(TEXT)).toEqual({
      kind: "terminal",
      reason: expect.stringContaining(reason),
    });
    expect(written()).toBe(OSC_52);
  });

  it("sends the terminal no text that is too long for it", async () => {
    const without = await clipboard({});
    expect(await without.copy(LONGEST)).toMatchObject({ kind: "terminal" });
    const asked = without.written();
    const reason = "there is no desktop clipboard here, and the text is too long for the terminal";
    expect(await without.copy(`${LONGEST}x`)).toEqual({ kind: "failed", reason });
    expect(without.written()).toBe(asked);
    const { copy, written, kept } = await clipboard({ xclip: KEEP }, X11);
    expect(await copy(`${LONGEST}x`)).toEqual({ kind: "clipboard" });
    expect([written(), await kept("xclip.stdin")]).toEqual(["", `${LONGEST}x`]);
  });

  it("does not wait for a clipboard program that stays in the background", async () => {
    const { copy, kept } = await clipboard(
      { xclip: `${KEEP}; sleep 600 & echo $! >"$0.pid"` },
      X11,
    );
    expect(await copy(TEXT)).toEqual({ kind: "clipboard" });
    process.kill(Number(await kept("xclip.pid")));
  });

  it("kills a clipboard program that does not answer within 2 s, and tries the next one", async () => {
    const programs = { xclip: 'echo $$ >"$0.pid"; exec sleep 600', xsel: KEEP };
    const { copy, kept } = await clipboard(programs, X11);
    expect(await copy(TEXT)).toEqual({ kind: "clipboard" });
    expect(await kept("xsel.stdin")).toBe(TEXT);
    expect(isRunning(Number(await kept("xclip.pid")))).toBe(false);
  });

  it("succeeds when a clipboard program does not read the text", async () => {
    const { copy } = await clipboard({ xclip: "exit 0" }, X11);
    expect(await copy("x".repeat(10_000_000))).toEqual({ kind: "clipboard" });
  });
});

describe("inside tmux", () => {
  it("passes the text to tmux", async () => {
    const { copy, kept, written } = await clipboard(
      { tmux: KEEP },
      { TMUX: "/tmp/tmux-0/default,1,0" },
    );
    expect(await copy(TEXT)).toMatchObject({ kind: "terminal" });
    expect([await kept("tmux.stdin"), await kept("tmux.args")]).toEqual([
      TEXT,
      "load-buffer -w -\n",
    ]);
    expect(written()).toBe("");
  });

  it("uses OSC 52 when tmux can't be run or is too old", async () => {
    const { copy, written } = await clipboard({ tmux: "exit 1" }, { TMUX: "x" });
    await copy(TEXT);
    expect(written()).toBe(OSC_52);
  });

  it.skipIf(!has("tmux", "-V") || !has("script", "--version"))(
    "copy inside a real tmux reaches the terminal around it (skipped without tmux or script of util-linux)",
    async () => {
      const folder = await temporaryFolder();
      const [socket, script] = [join(folder, "socket"), join(folder, "copy.mjs")];
      const module = new URL("../../../../build/tui/adapters/clipboard.js", import.meta.url);
      await writeFile(
        script,
        `import { createCopy } from "${module}";
         const write = (text) => process.stdout.write(text);
         await createCopy({ write, platform: "linux", env: process.env })(${JSON.stringify(TEXT)});
         setInterval(() => {}, 1_000);`,
      );
      // Wait for the end, because the folder with the socket is removed next.
      onTestFinished(async () => void (await run("tmux", ["-S", socket, "kill-server"])));
      const command = `tmux -S '${socket}' -f /dev/null new-session "'${process.execPath}' '${script}'"`;
      const { written } = terminal(command, { TERM: "xterm-256color" });
      await expect
        .poll(written, { timeout: 10_000 })
        .toContain(`;${Buffer.from(TEXT).toString("base64")}\x07`);
    },
  );
});
