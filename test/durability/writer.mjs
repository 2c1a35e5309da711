// A process that writes a data file: node writer.mjs PATH JOB [ARGUMENT...]. It prints a line for
// each acknowledged write, or `CODE MESSAGE` of an error; it ends with 8 when an error ended it.
import { writeSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { lastId } from "../../build/store/data.js";
import { openDataFile } from "../../build/store/file/json-file-store.js";

const JOBS = {
  /** Counts on, until it is killed or has done it so many times; prints each count. */
  async count(store, times = Number.POSITIVE_INFINITY) {
    for (let done = 0; done < times; done++) {
      await store.update(countedOn);
      say(store.data.values[0].content.value);
    }
  },

  /**
   * Adds variables called PREFIX_1, PREFIX_2 and so on; prints each name, or the error in its
   * place. Given a number of milliseconds, it begins each when the clock is at a multiple, as all
   * others do.
   */
  async add(store, times, prefix, together) {
    for (let number = 1; number <= times; number++) {
      if (together) await delay(together - (Date.now() % together));
      const name = `${prefix}_${number}`;
      const added = (data) => ({ ...data.variables[0], id: lastId(data, "variables") + 1, name });
      await store
        .update((data) => ({ ...data, variables: [...data.variables, added(data)] }))
        .then(() => say(name), sayError);
    }
  },

  /**
   * Replaces the file so many times at a rate, in turns as we do and as editors do; prints when it
   * was done.
   */
  async replace(store, times, perSecond) {
    const start = Date.now();
    for (let version = 1; version <= times; version++) {
      await delay(start + (version * 1_000) / perSecond - Date.now());
      if (version % 2 === 1) await store.update((data) => ofVersion(data, version));
      else await replaceAsEditor(ofVersion(store.data, version));
    }
    say(`${start} ${Date.now()}`);
  },
};

function countedOn(data) {
  const counted = (record) => ({ ...record, content: { value: record.content.value + 1 } });
  const last = data.values.length - 1;
  return {
    ...data,
    values: data.values.map((r, index) => (index === 0 || index === last ? counted(r) : r)),
  };
}

/** The data with the version in each record, and no smaller for it. */
function ofVersion(data, version) {
  const counted = ({ value }) =>
    typeof value === "number" ? version : `${version}`.padStart(value.length, "0");
  return {
    ...data,
    variables: data.variables.map((record) => ({ ...record, description: `${version}` })),
    values: data.values.map((record) => ({
      ...record,
      content: { value: counted(record.content) },
    })),
  };
}

async function replaceAsEditor(data) {
  await writeFile(`${path}.edited`, JSON.stringify(data), { mode: 0o600 });
  await rename(`${path}.edited`, path);
}

function say(line) {
  // In the pipe before the next write begins: a kill can't take an acknowledgement back.
  writeSync(1, `${line}\n`);
}

function sayError({ code, message }) {
  say(`${code} ${message}`);
}

const [path, job, ...args] = process.argv.slice(2);
try {
  await JOBS[job](await openDataFile(path), ...args);
} catch (error) {
  sayError(error);
  process.exitCode = 8;
}
