import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import envPaths from "env-paths";
import type { Io } from "./io.js";

/** This process as a command sees it. Streams are made when they are first used: stdin alone takes Node 2 ms. */
export function processIo(): Io {
  const { stdout, env } = process;
  // A reader that has seen enough, `head` for one, closes the pipe: that ends the command, it is no error.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`appvars: can't write to stdout (${error.code})\n`);
    process.exit(1);
  });
  // Node would open its debugger, on a port that every user of the machine can reach, in a process with secrets in it.
  process.on("SIGUSR1", () => {});
  return {
    get stdin() {
      return process.stdin;
    },
    stdout,
    get stderr() {
      return patientStderr();
    },
    env,
    cwd: process.cwd(),
    folders: userFolders(),
    user: process.getuid?.(),
    clock: Date.now,
    untilStopped,
  };
}

/** When nobody is left to be told, what the command does, a server for one, goes on. */
function patientStderr(): Io["stderr"] {
  const { stderr } = process;
  if (stderr.listenerCount("error") === 0) stderr.on("error", () => {});
  return stderr;
}

/** A relative XDG_CONFIG_HOME is to be ignored, says the specification of it: secrets would go into a project. */
function userFolders(): Io["folders"] {
  const { config, cache } = envPaths("appvars", { suffix: "" });
  return {
    config: isAbsolute(config) ? config : join(homedir(), ".config", "appvars"),
    cache: isAbsolute(cache) ? cache : join(homedir(), ".cache", "appvars"),
  };
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      resolve();
      // Another signal ends the process at once.
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
  });
}
