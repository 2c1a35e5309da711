import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Data, ValueRecord } from "../../src/store/data.js";
import { createDataFile } from "../../src/store/file/data-file.js";
import { historyPathOf, readFileHistory } from "../../src/store/file/file-history.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { aRecord } from "../support/records.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const PADDING = "x".repeat(850);
// A padding's two records with their names, ids and punctuation.
const PADDED_BYTES = 1_050;

export const KEYS = { "x-api-key": "key", "x-api-secret": "secret" };

/** About that many bytes between two counters, which a whole file has at the same count. */
export function countingData(bytes: number): Data {
  const between = Math.max(1, Math.round(bytes / PADDED_BYTES));
  const names = [
    "HEAD",
    ...Array.from({ length: between }, (_, index) => `PADDING_${index}`),
    "TAIL",
  ];
  const isCounter = (name: string) => !name.startsWith("PADDING");
  const value = (name: string) => (isCounter(name) ? 0 : PADDING);
  return {
    version: 1,
    environments: [
      { id: 1, application: "default", name: "development", api_key: "key", api_secret: "secret" },
    ],
    variables: names.map((name, index) =>
      aRecord({
        id: index + 1,
        application: "default",
        type: isCounter(name) ? "NUMBER" : "STRING",
        name,
      }),
    ),
    values: names.map((name, index) => ({
      id: index + 1,
      variable_id: index + 1,
      environment_id: 1,
      content: { value: value(name) },
    })),
  };
}

/**
 * A data file of about that many bytes, alone in a folder that is gone when the current test ends.
 */
export async function countingFile(bytes: number): Promise<string> {
  const path = join(await temporaryFolder(), "vars.json");
  await createDataFile(path, countingData(bytes));
  return path;
}

/** @throws when the file is not whole: no JSON, a broken rule, or parts of two counts */
export async function readCount(path: string): Promise<number> {
  const { values } = await parseData(await readFile(path));
  const [head, tail] = [values.at(0), values.at(-1)].map((record) => record?.content.value);
  if (typeof head !== "number" || head !== tail)
    throw new Error(`counts ${head} and ${tail} in one file`);
  return head;
}

/**
 * Compares a counting file with its history.
 *
 * @throws when there is a change without its entry, or an entry without its change
 */
export async function checkHistory(path: string): Promise<void> {
  const { data, writes } = await readFileHistory(path);
  const countIn = (record: unknown) => (record as ValueRecord | null | undefined)?.content.value;
  let count = countIn(data.values[0]);
  let first: number | undefined;
  for await (const { id, command, changes: records } of writes) {
    const change = records.find(
      ({ list, after }) => list === "values" && after?.id === data.values[0]?.id,
    );
    if (!change && command === "changed outside") continue;
    if (countIn(change?.after) !== count)
      throw new Error(`change ${id}, ${command}, does not lead to ${count}`);
    [count, first] = [countIn(change?.before), id];
  }
  if ((first ?? 1) === 1 && count !== 0) throw new Error(`the history begins with ${count}`);
}

/** The names of files that writers left beside the data file and its history, sorted. */
export async function leftBeside(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names
    .filter((name) => ![path, historyPathOf(path)].includes(join(dirname(path), name)))
    .sort();
}
