import { readFile, writeFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { lastId } from "../../src/store/data.js";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { aRecord } from "../support/records.js";
import { leftBeside } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { Stepper, World } from "./stepper.js";

// Each lane has its own file, and computes while the others wait for the file system.
const LANES = 4;
/** One of this many pairs is tried. */
const STRIDE = QUICK ? 13 : 1;
const READER_CALLS = 4;
const TEXT = JSON.stringify(DATA);

interface Pause {
  /** A and B are stopped before these of their calls, counted from 1. */
  readonly a: number;
  readonly b: number;
  /** The writer that continues first. */
  readonly first: Name;
}

interface Count {
  tries: number;
  acknowledged: number;
  lost: number;
  torn: number;
  refused: number;
  /** Each failure, with its pause. */
  failures: string[];
}

it("two writers that are stopped at any two file-system calls lose nothing", async () => {
  const start = performance.now();
  const updates = { A: await freshUpdate(), B: await freshUpdate() };
  const most = await callsOf(updates);
  const pauses = range(most.a).flatMap((a) =>
    range(most.b).flatMap((b) => (["A", "B"] as const).map((first) => ({ a, b, first }))),
  );
  const count: Count = { tries: 0, acknowledged: 0, lost: 0, torn: 0, refused: 0, failures: [] };
  // Every call of one writer meets some of the other's, and never the same ones as the call before.
  const queue = pauses.filter(({ a, b }) => (3 * a + b) % STRIDE === 0).values();
  const lane = async () => {
    const { path } = await dataFile(DATA);
    for (const pause of queue) await interleave(pause, path, updates, count);
  };
  await Promise.all(Array.from({ length: LANES }, lane));

  const { failures, acknowledged, ...counted } = count;
  addRow({ test: "two writers stopped", ...counted });
  figure(
    `two writers stopped before each of their ${most.a} and ${most.b} calls: ${grouped(count.tries)} tries, ` +
      `${grouped(acknowledged)} writes acknowledged, ${count.lost} of them lost, ${grouped(count.refused)} refused, ` +
      `${count.torn} torn files (${since(start)})`,
  );
  expect(failures.slice(0, 10)).toStrictEqual([]);
  // A live process never loses its lock.
  expect(count.refused).toBe(0);
});

/** Stops A, then B and a reader, and then continues all of them. */
async function interleave(
  pause: Pause,
  path: string,
  updates: Updates,
  count: Count,
): Promise<void> {
  const fail = (failure: string, kind?: "lost" | "torn") => {
    if (kind) count[kind]++;
    count.failures.push(`${JSON.stringify(pause)}: ${failure}`);
  };
  const look = async () => {
    const data = await parseData(await readFile(path)).catch((error: Error) =>
      fail(error.message, "torn"),
    );
    return data?.variables.map(({ name }) => name) ?? [];
  };
  await writeFile(path, TEXT);
  const world = new World();
  const [a, b] = [writer("A", world, updates, path), writer("B", world, updates, path)];
  const reader = new Stepper("reader", world, () => openDataFile(path));
  await a.go(pause.a);
  await reader.go(1 + ((pause.a + pause.b) % READER_CALLS));
  await b.go(pause.b);
  await look();
  const order = pause.first === "A" ? [a, b] : [b, a];
  for (let turn = 0; turn < 20; turn++) {
    await order[turn % 2]?.go();
    await look();
  }
  await reader.go();

  count.tries++;
  if (reader.outcome?.error) fail(`the reader: ${reader.outcome.error.message}`, "torn");
  const present = await look();
  for (const [name, { outcome }] of Object.entries({ A: a, B: b })) {
    const isThere = present.includes(name);
    if (!outcome) fail(`${name} has not ended`);
    else if (!outcome.error) {
      count.acknowledged++;
      if (!isThere) fail(`the write of ${name} was acknowledged and is lost`, "lost");
    } else {
      count.refused++;
      fail(`${name}: ${outcome.error.stack}`);
      if (isThere)
        fail(`the write of ${name} is there, but it was refused: ${outcome.error.message}`);
    }
  }
  const left = await leftBeside(path);
  if (left.length > 0) fail(`left behind: ${left.join()}`);
}

type Name = "A" | "B";
type Update = typeof import("../../src/store/file/update-data-file.js").updateDataFile;
type Updates = Record<Name, Update>;

/**
 * A separate instance of the modules, as another process would have: nothing in memory is shared.
 */
async function freshUpdate(): Promise<Update> {
  vi.resetModules();
  return (await import("../../src/store/file/update-data-file.js")).updateDataFile;
}

/** Adds a variable of that name. */
function writer(name: Name, world: World, updates: Updates, path: string): Stepper {
  return new Stepper(name, world, () =>
    updates[name](path, (data) => {
      const added = aRecord({ id: lastId(data, "variables") + 1, name });
      return { ...data, variables: [...data.variables, added] };
    }),
  );
}

/** How many calls each writer makes. */
async function callsOf(updates: Updates): Promise<{ a: number; b: number }> {
  const alone = writer("A", new World(), updates, (await dataFile(DATA)).path);
  await alone.go();
  const { path } = await dataFile(DATA);
  const world = new World();
  const [a, b] = [writer("A", world, updates, path), writer("B", world, updates, path)];
  await b.go();
  await a.go();
  expect([alone.outcome, b.outcome]).toStrictEqual([{}, {}]);
  return { a: alone.calls, b: b.calls };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
