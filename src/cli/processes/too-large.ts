import { MAX_LINUX_STRING } from "../../domain/variable.js";

/** Why the system refused to start a program with E2BIG: the variable or argument to blame, never a value. */
export function explainTooLarge(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const problem = `${command[0]} can't be started:`;
  const sizes = Object.entries(env).map(([name, value]) => [name, Buffer.byteLength(`${name}=${value}\0`)] as const);
  const [name = "", size = 0] = sizes.reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0] as const);
  const argumentSizes = command.map((argument) => Buffer.byteLength(`${argument}\0`));
  if (platform === "linux" && Math.max(size, ...argumentSizes) > MAX_LINUX_STRING) {
    const what =
      size > MAX_LINUX_STRING ? `the variable ${name} has ${size} bytes` : "one of its arguments is too long";
    return `${problem} ${what}; Linux limits each variable and argument to ${MAX_LINUX_STRING} bytes`;
  }
  const total = sizes.reduce((sum, [, each]) => sum + each, 0);
  const totalOfArguments = argumentSizes.reduce((sum, each) => sum + each, 0);
  return (
    `${problem} its environment (${total} bytes) and arguments (${totalOfArguments} bytes) are too long together; ` +
    `the largest variable is ${name} with ${size} bytes`
  );
}
