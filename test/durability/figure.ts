/** Prints what was measured: the line is the result, the assertions beside it only guard it. */
export function figure(line: string): void {
  // biome-ignore lint/suspicious/noConsole: it is what these measurements are run for
  console.log(line);
}

/** `1600` -> `1,600` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** The seconds since `start`, which is of `performance.now()`, as `1.2 s`. */
export function since(start: number): string {
  return `${((performance.now() - start) / 1_000).toFixed(1)} s`;
}
