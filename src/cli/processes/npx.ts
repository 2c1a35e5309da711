const CHECK_MS = 250;

/** Whether npx was asked for `appvars` itself, not for a program or a script that calls it. */
export function isStartedByNpx(env: Record<string, string | undefined>): boolean {
  // npm 11 has it in single quotes, and older ones in double quotes or none.
  return env["npm_lifecycle_event"] === "npx" && /^(['"]?)appvars\1$/.test(env["npm_lifecycle_script"] ?? "");
}

/**
 * Sends this process SIGTERM once its parent is gone. npx runs a command in a shell, and sends a signal that it receives
 * to that shell only: dash ends without passing it on. So `npx appvars serve &` and `kill $!` would leave the server.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, CHECK_MS).unref();
}
