import { execFile } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../../src/local-server.js";
import { httpPeer, tcpPeer, unusedPort } from "../../client/peer.js";
import { BINARY } from "../../support/binary.js";
import { DATA } from "../../support/data.js";
import { runningServer } from "../../support/running-server.js";
import { canFakeDns, withSilentDns } from "../../support/silent-dns.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { hasTmux, type Tmux, tmux } from "../../support/tmux.js";
import { developmentProfile, profileFolder } from "../../tui/support/tui.js";

const SECRET = "dev-secret";

/** A terminal with the TUI for these profiles; the shell prints its exit code. */
async function tuiWith(profiles: Record<string, Record<string, unknown>>, before = ""): Promise<Tmux> {
  const home = await temporaryFolder();
  await symlink((await profileFolder(profiles)).path, join(home, "appvars"));
  const env = { XDG_CONFIG_HOME: home, NODE: process.execPath, BINARY };
  const terminal = await tmux({ columns: 120, rows: 24, env });
  await terminal.run(`${before} "$NODE" "$BINARY" tui; echo "ended with $?"`);
  return terminal;
}

/** Far below the time limit of a request, and far above the end of a process on a busy machine. */
const MAX_END_MS = 5_000;

/** Presses a key and resolves to the milliseconds until the program has ended. */
async function timeToEnd(terminal: Tmux, key: string, code = 0): Promise<number> {
  const startedAt = performance.now();
  await terminal.keys(key);
  await terminal.until(new RegExp(`ended with ${code}\\b`));
  return performance.now() - startedAt;
}

describe.skipIf(!hasTmux)("on a terminal", () => {
  it("the secret of a server is neither on the screen nor in the list of processes", async () => {
    const { url } = await runningServer();
    const terminal = await tuiWith({
      staging: developmentProfile(url),
      refused: developmentProfile(url, { api_secret: "hunter2" }),
    });
    const screens = [await terminal.until(/7 variables .* \d+ s old/)];
    await terminal.keys("Y", "j", "j", "j", "j", "Enter");
    screens.push(await terminal.until(/copied|sent/));
    await expect.poll(() => terminal.clipboard()).toBe("appvars get DATABASE_URL --profile staging");
    await terminal.keys("V");
    screens.push(await terminal.until(/postgres/));
    await terminal.keys("h", "j", "Enter");
    screens.push(await terminal.until(/profile refused: the server refused/));
    const { stdout: processes } = await promisify(execFile)("ps", ["-eo", "args"]);
    const commandLine = await readFile(`/proc/${await terminal.programPid()}/cmdline`, "utf8");
    expect(commandLine).toContain("tui");
    for (const text of [...screens, processes, commandLine]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain("hunter2");
    }
  });

  it("the screen reports that a server is down, and recovers without a key", async () => {
    const start = (port: number) => serve({ data: DATA, port, drainGrace: 0 });
    const first = await start(0);
    const terminal = await tuiWith({ staging: developmentProfile(first.url) });
    await terminal.until(/7 variables/);
    await first.close();
    await terminal.keys("r");
    await terminal.until(/✗ trying again in \d s: can't reach/);
    const second = await start(first.port);
    onTestFinished(() => second.close());
    await terminal.until((screen) => /7 variables/.test(screen) && !screen.includes("✗"));
  });

  it("q quits while a server does not answer", async () => {
    const { url, sockets } = await httpPeer(() => {});
    const terminal = await tuiWith({ slow: developmentProfile(url) });
    await terminal.until(/reading/);
    await expect.poll(() => sockets.length).toBe(1);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(MAX_END_MS);
  });

  it("q quits during a TLS handshake", async () => {
    const { port, sockets } = await tcpPeer(() => {});
    const terminal = await tuiWith({ slow: developmentProfile(`https://127.0.0.1:${port}`) });
    await terminal.until(/reading/);
    await expect.poll(() => sockets.length).toBe(1);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(MAX_END_MS);
  });

  it("q quits while waiting for the next try", async () => {
    const terminal = await tuiWith({ down: developmentProfile(`http://127.0.0.1:${await unusedPort()}`) });
    await terminal.until(/trying again in \d s/);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(MAX_END_MS);
  });

  it.skipIf(!canFakeDns || !("execve" in process))("q quits during a DNS lookup", async () => {
    const within = (await withSilentDns()).join(" ");
    const terminal = await tuiWith({ far: developmentProfile("http://vars.invalid") }, within);
    await terminal.until(/reading/);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(MAX_END_MS);
  });
});
