import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BINARY, run } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const hasExpect = spawnSync("expect", ["-v"]).status === 0;
const hasTimeout = spawnSync("timeout", ["1", "true"]).status === 0;

const COUNTING = `
  let interrupts = 0;
  process.on("SIGINT", () => { interrupts++; console.log("interrupted"); });
  process.on("SIGUSR2", () => { console.log("interrupts=" + interrupts); process.exit(7); });
  setInterval(() => {}, 1000);
  console.log("ready");`;

/**
 * Says whether it is in another process group than appvars, reads a line, and has the parent of
 * appvars signalled. Ends by a second signal.
 */
const UNDER_TIMEOUT = `
  const stat = (pid) => require("node:fs").readFileSync("/proc/" + pid + "/stat", "utf8").split(" ");
  const parent = stat(process.ppid);
  console.log(stat("self")[4] === parent[4] ? "same group" : "own group");
  process.stdin.once("data", () => process.kill(Number(parent[3])));
  process.once("SIGTERM", () => setTimeout(() => process.exit(7), 100));`;

/**
 * Types the command, with more words around it, at the prompt of a shell, which shows it: output
 * ends with `\r`.
 */
const TYPE = `
  proc type {before command after} {
    see "prompt> "; send "$before [join [lmap word $command { format {'%s'} $word }] { }] $after\r"
  }
  proc stopped {pid} { while {[lindex [exec cat /proc/$pid/stat] 2] ne "T"} { after 10 } }
  proc foreground {pid} { see "'-e'"; while {[lindex [exec cat /proc/$pid/stat] 7] != $pid} { after 10 } }
  spawn -noecho bash --norc --noprofile --noediting -i`;

/** Waits for a text; a script does not go on without it. */
const SEE =
  "set timeout 20; proc see {text} { expect $text {} timeout { exit 99 } eof { exit 98 } }";

/** Runs a script of expect(1), which has the command to start as `$argv`. */
async function onTerminal(script: string, command: readonly string[]) {
  const { path } = await dataFile(DATA);
  const source = ["--data", path, "--env", "shop/development", "--only", "PORT"];
  const args = [process.execPath, BINARY, "run", ...source, "--", ...command];
  const file = join(await temporaryFolder(), "script.exp");
  await writeFile(file, `${SEE}\n${script}`);
  return run("expect", [file, ...args], { TERM: "dumb", PS1: "prompt> " });
}

// Skipped where there is no expect(1), which makes the terminal.
describe.skipIf(!hasExpect)("on a terminal", () => {
  it("a program under run has the terminal as stdin, stdout and stderr", async () => {
    const test = "test -t 0 && test -t 1 && test -t 2 && : </dev/tty && echo all three";
    const { stdout } = await onTerminal("spawn -noecho {*}$argv; expect eof", ["sh", "-c", test]);
    expect(stdout).toBe("all three\r\n");
  });

  it("Ctrl-C reaches a program under run once, and run exits with its exit code", async () => {
    const script = `
      spawn -noecho {*}$argv; set pid [exp_pid]
      see ready; send "\\003"; see interrupted
      exec kill -USR2 $pid; expect eof
      exit [lindex [wait] 3]`;
    const { code, stdout } = await onTerminal(script, [process.execPath, "-e", COUNTING]);
    expect(stdout).toContain("interrupts=1\r\n");
    expect(code).toBe(7);
  });

  it("run exits 130 when Ctrl-C ends the program", async () => {
    const script =
      'spawn -noecho {*}$argv; see ready; send "\\003"; expect eof; exit [lindex [wait] 3]';
    expect((await onTerminal(script, ["sh", "-c", "echo ready; exec sleep 60"])).code).toBe(130);
  });

  // On a busy machine, a shell rarely misses that a job has stopped.
  it("Ctrl-Z stops a program under run, and fg continues it", { retry: 2 }, async () => {
    const script = `
      spawn -noecho bash --norc --noprofile --noediting -i
      see "prompt> "; send "[join [lmap word $argv { format {'%s'} $word }] { }]\\r"
      see "ready\\r"; send "\\032"; see "Stopped"
      see "prompt> "; send "fg\\r"; see "'-c'"; send "a line\\r"; see "read a line\\r"
      see "prompt> "; send "exit \\$?\\r"; expect eof; exit [lindex [wait] 3]`;
    const { code } = await onTerminal(script, [
      "sh",
      "-c",
      "echo ready; read x; echo read $x; exit 9",
    ]);
    expect(code).toBe(9);
  });

  it("SIGINT to run alone reaches a program that bg has moved to the background", async () => {
    const script = `${TYPE}
      type "" $argv ""
      see "ready\\r"; send "\\032"; see Stopped
      see "prompt> "; send "bg\\r"; see "prompt> "
      send "kill -INT \\$(jobs -p)\\r"; see "interrupted\\r"
      send "kill -USR2 \\$(jobs -p)\\r"; see "interrupts=1\\r"`;
    expect((await onTerminal(script, [process.execPath, "-e", COUNTING])).code).toBe(0);
  });

  it("a program that was started in the background hears Ctrl-C once after fg, and stops on Ctrl-Z", async () => {
    const script = `${TYPE}
      type "" $argv "&"
      expect -re {\\[1\\] (\\d+)} {}; set job $expect_out(1,string)
      see "ready\\r"; expect -re {pid=(\\d+)} {}; set pid $expect_out(1,string)
      send "\\r"; see "prompt> "; send "fg\\r"; foreground $job
      send "\\032"; see Stopped
      stopped $pid; stopped $job
      see "prompt> "; send "fg\\r"; foreground $job
      send "\\003"; see "interrupted\\r"
      exec kill -USR2 $pid; see "interrupts=1\\r"
      see "prompt> "; send "exit \\$?\\r"; expect eof; exit [lindex [wait] 3]`;
    const program = `${COUNTING} console.log("pid=" + process.pid + ".");`;
    expect((await onTerminal(script, [process.execPath, "-e", program])).code).toBe(7);
  });

  it("a program in the background does not get keys typed for the shell", async () => {
    const script = `${TYPE}
      type "" $argv "&"
      see "end of input\\r"; send "exit 9\\r"; expect eof; exit [lindex [wait] 3]`;
    expect((await onTerminal(script, ["sh", "-c", "cat; echo end of input"])).code).toBe(9);
  });

  it.skipIf(!hasTimeout)(
    "a signal of timeout(1) at a prompt reaches a program under run once",
    async () => {
      const script = `${TYPE}
      type "timeout 60" $argv ""
      see "own group\\r"; send "\\r"
      see "prompt> "; send "exit \\$?\\r"; expect eof; exit [lindex [wait] 3]`;
      expect(
        (await onTerminal(script, [process.execPath, "-e", UNDER_TIMEOUT.replaceAll("\n", " ")]))
          .code,
      ).toBe(7);
    },
  );
});
