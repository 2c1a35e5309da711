import { describe, expect, it } from "vitest";
import { httpPeer } from "../../client/peer.js";
import { CREDENTIALS } from "../../support/data.js";
import { hasTmux } from "../../support/tmux.js";
import { isOn, openShell, READY, START, type Tui } from "../../tui/support/tui-in-tmux.js";

/** Makes the program throw on SIGUSR2. */
const FAULT = 'process.on("SIGUSR2", () => { throw new Error("boom"); })';
const FAULTY = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}` };

/**
 * The TUI in a shell that prints its exit code, and whether the modes of the terminal are restored.
 */
async function openTuiInTmux(): Promise<Tui> {
  const tui = await openShell({ env: FAULTY });
  await tui.run("echo seen before");
  await tui.until(/^seen before$/m);
  await tui.run(
    `stty -a >before; ${START}; echo "ended $?"; stty -a >after; cmp before after && echo as before`,
  );
  await tui.until(READY);
  expect([await tui.alternateOn(), await tui.cursorVisible(), await tui.mouseOn()]).toEqual([
    true,
    false,
    true,
  ]);
  expect(await tui.shellScreen()).toMatch(/^seen before$/m);
  return tui;
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("a real terminal", () => {
  it.each([
    ["q", 0, (tui: Tui) => tui.keys("q")],
    ["Ctrl-C", 0, (tui: Tui) => tui.keys("C-c")],
    ["SIGTERM", 143, (tui: Tui) => tui.kill("SIGTERM")],
    ["SIGHUP", 129, (tui: Tui) => tui.kill("SIGHUP")],
    ["SIGINT from outside", 130, (tui: Tui) => tui.kill("SIGINT")],
    ["a crash", 1, (tui: Tui) => tui.kill("SIGUSR2")],
  ])("the terminal is restored after %s, and the exit code is %d", async (how, code, end) => {
    const tui = await openTuiInTmux();
    await end(tui);
    const screen = await tui.until(/^as before$/m);
    expect(screen).toMatch(new RegExp(`^seen before$[\\s\\S]*^ended ${code}$`, "m"));
    expect(screen.includes("appvars: boom")).toBe(how === "a crash");
    expect(screen).not.toMatch(/Environments|DATABASE_URL/);
    expect([await tui.alternateOn(), await tui.cursorVisible(), await tui.mouseOn()]).toEqual([
      false,
      true,
      false,
    ]);
    // Lines wrap again, and a paste has no brackets.
    await tui.paste("clear; printf '%082d\\n' 7");
    await tui.keys("Enter");
    await tui.until(/^0{80}\n07\n/m);
  });

  it("Ctrl-Z returns to the shell, and fg shows the TUI at its new size", async () => {
    const tui = await openTuiInTmux();
    await tui.keys("j", "C-z");
    await tui.until(/Stopped/);
    expect([await tui.alternateOn(), await tui.cursorVisible(), await tui.mouseOn()]).toEqual([
      false,
      true,
      false,
    ]);
    await tui.run("echo typed");
    expect(await tui.until(/^typed$/m)).toMatch(/^seen before$/m);
    await tui.resize(120, 30);
    await tui.run("fg");
    const widths = (screen: string) =>
      screen
        .split("\n")
        .slice(1, 29)
        .map((line) => line.length);
    await tui.until((screen) => widths(screen).every((width) => width === 120), isOn("PORT"));
    expect([await tui.alternateOn(), await tui.mouseOn()]).toEqual([true, true]);
    await tui.keys("k");
    await tui.until(isOn("DATABASE_URL"));
    await tui.keys("q");
    await tui.until(/^typed$/m);
  });

  it("q ends the program while a server does not answer", async () => {
    const { url, sockets } = await httpPeer(() => {});
    const tui = await openShell({ env: CREDENTIALS });
    await tui.run(`appvars tui --url ${url.origin}; echo "ended $?"`);
    await tui.until(/reading/);
    await expect.poll(() => sockets.length).toBe(1);
    await tui.keys("q");
    await tui.until(/^ended 0$/m);
  });
});
