const CHECK_MS = 250;

/**
 * Whether npx or a script of npm calls only this command, and not one that calls it: programs under `run` inherit the
 * variable. @param argv the words after `appvars`, of which npx tells none
 */
export function isStartedByNpm(env: Record<string, string | undefined>, [own]: readonly string[]): boolean {
  // npx of npm 11 has it in single quotes, and older ones in double quotes or none.
  const script = /^(['"]?)(node )?(\S*\/)?appvars(\.cjs)?\1(?: ([^\s;&|]+)[^;&|\n]*)?$/.exec(
    env["npm_lifecycle_script"] ?? "",
  );
  return script !== null && (script[5] ?? own) === own;
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
