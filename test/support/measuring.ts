/** Whether to make only some of the attempts. */
export const QUICK = process.env["QUICK"] === "1";

/** Whether property tests of `npm test` make all rounds, as they do among the end-to-end tests. */
export const THOROUGH = process.env["THOROUGH"] === "1";

/** `1600` -> `1,600` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
