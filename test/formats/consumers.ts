import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Writer } from "../../src/formats/writer.js";
import { UsageError } from "../../src/kit/text/errors.js";
import type { JsonValue } from "../../src/kit/text/strict-json.js";
import { type NamedValue, valueText } from "../../src/model/variable.js";
import { run } from "../support/binary.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { ALL_VALUES, entriesOf } from "./nasty-values.js";

/** Whether this machine can run a program; where it can't, the tests that feed it are skipped. */
export function has(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** A file that is gone when the current test ends. */
export async function fileWith(name: string, content: string): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}

/** Runs a program that has to succeed and to say nothing to stderr. */
export async function output(
  command: string,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, env);
  expect({ code, stderr }, `${command} failed`).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/**
 * Splits the table into values that the format can hold, by `canHold`, and the rest, which it must
 * refuse.
 */
export function table(canHold: (text: string) => boolean): {
  held: NamedValue[];
  refused: NamedValue[];
} {
  const held: NamedValue[] = [];
  const refused: NamedValue[] = [];
  for (const entry of entriesOf(ALL_VALUES))
    (canHold(valueText(entry.value)) ? held : refused).push(entry);
  return { held, refused };
}

/** The values as a consumer of text only should have read them. */
export function asText(entries: readonly NamedValue[]): Record<string, string> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, valueText(value)]));
}

export function asJson(entries: readonly NamedValue[]): Record<string, JsonValue> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

/** Compares by name first, so that a failure shows the one value and not the whole table. */
export function expectSame(
  actual: Record<string, unknown>,
  expected: Record<string, unknown>,
): void {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  for (const name of Object.keys(expected)) {
    expect(JSON.stringify(actual[name]), name).toBe(JSON.stringify(expected[name]));
    expect(actual[name]).toEqual(expected[name]);
  }
}

/** The message of the refusal, which has to be there. */
export function refusal(write: Writer, entries: readonly NamedValue[]): string {
  try {
    write(entries);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error("it was written");
}

/** One error has to name every one of these entries, and none of their neighbours. */
export function expectAllRefused(
  write: Writer,
  refused: readonly NamedValue[],
  held: readonly NamedValue[],
): void {
  const message = refusal(write, [...held.slice(0, 50), ...refused]);
  expect(refusedNames(message)).toEqual(new Set(refused.map(({ name }) => name)));
}

/** The names `V1` in the message of an `UnsupportedError`, which groups them by reason. */
export function refusedNames(message: string): Set<string> {
  return new Set([...message.matchAll(/\bV\d+(?=, | \()/g)].map(([name]) => name));
}
