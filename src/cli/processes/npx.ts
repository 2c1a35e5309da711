const CHECK_MS = 250;

/** Whether npx or a script of npm calls `appvars` alone, not a program or a command line that calls it. */
export function isStartedByNpm(env: Record<string, string | undefined>): boolean {
  // npx of npm 11 has it in single quotes, and older ones in double quotes or none.
  return /^(['"]?)(node )?(\S*\/)?appvars(\.cjs)?\1( [^;&|\n]*)?$/.test(env["npm_lifecycle_script"] ?? "");
}

/**
 * Sends this process SIGTERM once its parent is gone. npm and npx run a command in a shell, and send a signal that they
 * receive to that shell only: dash ends without passing it on. So `npx appvars serve &` and `kill $!` would leave the server.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, CHECK_MS).unref();
}
