import { execFile, spawnSync } from "node:child_process";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/serve.js";
import { httpPeer, tcpPeer, unusedPort } from "../client/peer.js";
import { BINARY } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { hasTmux, type Tmux, tmux } from "../support/tmux.js";
import { developmentProfile, profileFolder } from "./support/remote-program.js";

const SECRET = "dev-secret";

/** Whether a program can be given a network of its own. */
const canHangLookups = spawnSync("unshare", ["-rmn", "ip", "link", "set", "lo", "up"]).status === 0;

/** What runs a program where the one server of names never answers. */
async function hangingLookups(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n");
  const server = 'require("node:dgram").createSocket("udp4").bind(53, "127.0.0.1", () => console.log("ready"))';
  await writeFile(join(folder, "server.cjs"), server);
  const script = `ip link set lo up
mount --bind ${folder}/resolv.conf /etc/resolv.conf
mkfifo ${folder}/ready
"$NODE" ${folder}/server.cjs >${folder}/ready & trap "kill $!" EXIT
read ready <${folder}/ready
"$@"`;
  await writeFile(join(folder, "run"), script);
  return `unshare -rmn sh ${folder}/run`;
}

/** A terminal with the TUI on these profiles; the shell tells what it ended with. */
async function tuiWith(profiles: Record<string, Record<string, unknown>>, before = ""): Promise<Tmux> {
  const home = await temporaryFolder();
  await symlink((await profileFolder(profiles)).path, join(home, "appvars"));
  const env = { XDG_CONFIG_HOME: home, NODE: process.execPath, BINARY };
  const terminal = await tmux({ columns: 120, rows: 24, env });
  await terminal.run(`${before} "$NODE" "$BINARY" tui; echo "ended with $?"`);
  return terminal;
}

/** Presses a key and resolves to the milliseconds until the program has ended. */
async function timeToEnd(terminal: Tmux, key: string, code = 0): Promise<number> {
  const startedAt = performance.now();
  await terminal.keys(key);
  await terminal.until(new RegExp(`ended with ${code}\\b`));
  return performance.now() - startedAt;
}

describe.skipIf(!hasTmux)("on a terminal", () => {
  it("a server's variables are shown, and its secret is neither on the screen nor in a list of processes", async () => {
    const { url } = await runningServer();
    const terminal = await tuiWith({
      staging: developmentProfile(url),
      refused: developmentProfile(url, { api_secret: "hunter2" }),
    });
    const screens = [await terminal.until(/7 variables .* 0 s old/)];
    await terminal.keys("Y");
    screens.push(await terminal.until(/copied|sent/));
    expect(await terminal.clipboard()).toBe("appvars get DATABASE_URL --profile staging");
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

  it("a server that goes down is told of, and that it is back without a key", async () => {
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

  it("q ends it at once while a server does not answer", async () => {
    const { url, sockets } = await httpPeer(() => {});
    const terminal = await tuiWith({ slow: developmentProfile(url) });
    await terminal.until(/reading/);
    await expect.poll(() => sockets.length).toBe(1);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(1_000);
  });

  it("q ends it at once while TLS is not agreed upon", async () => {
    const { port, sockets } = await tcpPeer(() => {});
    const terminal = await tuiWith({ slow: developmentProfile(`https://127.0.0.1:${port}`) });
    await terminal.until(/reading/);
    await expect.poll(() => sockets.length).toBe(1);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(1_000);
  });

  it("q ends it at once while it waits to try again", async () => {
    const terminal = await tuiWith({ down: developmentProfile(`http://127.0.0.1:${await unusedPort()}`) });
    await terminal.until(/trying again in \d s/);
    expect(await timeToEnd(terminal, "q")).toBeLessThan(1_000);
  });

  it.skipIf(!canHangLookups)("q ends it at once while the name of a server is looked up", async () => {
    const terminal = await tuiWith({ far: developmentProfile("http://config.example") }, await hangingLookups());
    await terminal.until(/reading/);
    // As after Ctrl-C: Node would wait for the lookup at any other end.
    expect(await timeToEnd(terminal, "q", 130)).toBeLessThan(1_000);
  });
});
