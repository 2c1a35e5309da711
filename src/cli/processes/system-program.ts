import { win32 } from "node:path";

/** The path of a program that comes with Windows. By its name alone, one in the current folder would be started. */
export function systemProgram(name: string, env: Readonly<Record<string, string | undefined>>): string {
  return win32.join(env["SystemRoot"] ?? "C:\\Windows", "System32", name);
}
