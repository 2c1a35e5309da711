import { spawn } from "node:child_process";
import type { Schedule } from "../schedule.js";
import type { ClipboardProgram } from "./clipboard-programs.js";

/** A program for the clipboard that waits for something would otherwise be waited for without an end. */
const LONGEST_MS = 2_000;

/**
 * Runs a program with the text on stdin, where no process list shows it, and resolves to why that failed; to undefined
 * when it did not. Its output is ignored: one that stays in the background to serve the clipboard would keep it open.
 *
 * @param env without what is secret, for the same reason: it may outlive this process by days
 */
export function feedProgram(
  { command, args, encoding }: ClipboardProgram,
  text: string,
  env: Record<string, string | undefined>,
  schedule: Schedule,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"], env });
    const callOffKill = schedule(() => {
      child.kill("SIGKILL");
      resolve(`${command} does not answer`);
    }, LONGEST_MS);
    const end = (problem: string | undefined) => {
      callOffKill();
      resolve(problem);
    };
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      end(code === "ENOENT" ? `there is no ${command}` : `${command} can't be started (${code})`);
    });
    child.once("exit", (code) => end(code === 0 ? undefined : `${command} failed`));
    // Its end tells all there is to tell.
    child.stdin.on("error", () => {});
    child.stdin.end(text, encoding);
  });
}
