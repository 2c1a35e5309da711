import { isDeepStrictEqual } from "node:util";
import { serializeData } from "../../src/store/bytes/data-text.js";
import type { Data, ValueRecord } from "../../src/store/data.js";
import { readFileHistory } from "../../src/store/file/file-history.js";
import { contentHash } from "../../src/store/file/history-lines.js";
import { updateDataFile } from "../../src/store/file/update-data-file.js";
import type { RecordedWrite } from "../../src/store/history.js";
import { Random } from "./random.js";
import { aRecord } from "./records.js";
import { SIMULATED, SimulatedDisk, simulated } from "./simulated-disk.js";

const PATH = `${SIMULATED}vars.json`;
const HISTORY = `${PATH}.history.jsonl`;
/** The share of its limit that a history keeps. */
const KEPT = 0.9;
/** More calls than a write makes. */
const CALLS = 60;

/** A write that has replaced the data file. */
interface Write {
  readonly command: string;
  /** Of the data file, when it was replaced. */
  readonly version: number;
  /** Whether its writer has ended well, and the power is on since. */
  isMarked: boolean;
  /** Whether another program has changed the file since. */
  isFollowed: boolean;
  /**
   * Killed before its mark, or the power was cut before that was on disk, and another program has
   * changed the file before the next write: not promised.
   */
  mayBeMissing: boolean;
}

export interface Figures {
  runs: number;
  writes: number;
  kills: number;
  cuts: number;
  retries: number;
}

/**
 * Writers that are killed at any call, power cuts, and other programs that replace the data file or
 * write into it, also during a write. After each, the history must have exactly the writes that
 * were made, under ids that were never given.
 *
 * @throws an error that says what is wrong, with the run as its cause
 */
export async function runHistoryModel(seed: number, figures: Figures): Promise<void> {
  const run = new HistoryRun(seed, figures);
  try {
    for (let step = 0; step < 12 && !run.isAmbiguous; step++) await run.step();
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${run.log.join("\n")}`, {
      cause: error,
    });
  }
  figures.runs++;
}

class HistoryRun {
  readonly log: string[] = [];
  /**
   * Another program has given the file the very state that a write that was not made would have
   * given it.
   */
  isAmbiguous = false;
  readonly #random: Random;
  readonly #figures: Figures;
  readonly #disk = new SimulatedDisk(PATH);
  readonly #limit: number;
  #writes: Write[] = [];
  /** What a number was given to, for all times. */
  readonly #given = new Map<number, string>();
  readonly #versions: Buffer[] = [];
  /** The states of writes that were not made. */
  readonly #unmade = new Set<string>();
  #value = 0;

  constructor(seed: number, figures: Figures) {
    this.#random = new Random(seed);
    this.#figures = figures;
    this.#limit = this.#random.pick([1, 3, 5, 1_000]);
    simulated.disk = this.#disk;
    this.#disk.change(PATH, bytesOf(this.#data(0)), true);
    this.#versions.push(this.#disk.read(PATH));
  }

  #data(value: number): Data {
    return {
      version: 1,
      history: { entries: this.#limit },
      environments: [{ id: 1, application: "a", name: "e", api_key: "key", api_secret: "secret" }],
      variables: [aRecord({ id: 1, application: "a", type: "NUMBER", name: "A" })],
      values: [{ id: 1, variable_id: 1, environment_id: 1, content: { value } }],
    };
  }

  async step(): Promise<void> {
    const kind = this.#random.below(10);
    if (kind < 3) this.#outside();
    else await this.#write(kind < 6 ? "to its end" : kind < 8 ? "killed" : "power cut");
    if (!this.isAmbiguous) await this.#check();
  }

  /** Another program changes the file: to a new value, an earlier version, or only its form. */
  #outside(mayTick = true): void {
    const now = this.#disk.read(PATH);
    const made = [
      () => bytesOf(this.#data(++this.#value)),
      () => this.#random.pick(this.#versions),
      () => Buffer.from(JSON.stringify(JSON.parse(now.toString()), null, this.#random.below(4))),
    ];
    const content = this.#random.pick(made)();
    const isMoved = this.#random.below(2) === 0;
    if (mayTick || this.#random.below(2) === 0) this.#disk.tick();
    this.#disk.change(PATH, content, isMoved);
    this.#versions.push(content);
    this.log.push(`another program ${isMoved ? "moves" : "copies"} ${contentHash(content)}`);
    const last = this.#writes.at(-1);
    if (last) {
      last.isFollowed ||= contentHash(content) !== contentHash(now);
      last.mayBeMissing ||= last.isFollowed && !last.isMarked;
    }
    this.isAmbiguous ||= this.#unmade.has(contentHash(content));
  }

  async #write(end: "to its end" | "killed" | "power cut"): Promise<void> {
    const command = `w${++this.#value}`;
    const value = this.#value;
    const description = "x".repeat(this.#random.pick([0, 0, 0, 9, 30_000]));
    const [stop, outsideAt] = [1 + this.#random.below(CALLS), this.#random.below(2 * CALLS)];
    this.log.push(`${command} runs ${end === "to its end" ? end : `before call ${stop}, ${end}`}`);
    let onKill = () => {};
    const killed = new Promise<"killed">((resolve) => {
      onKill = () => resolve("killed");
    });
    let { version } = this.#disk;
    const tries: string[] = [];
    this.#disk.onCall = ({ number, path }) => {
      this.#noteMade(command, version);
      ({ version } = this.#disk);
      if (number === outsideAt) this.#outside(path !== HISTORY);
      if (end === "to its end" || number !== stop) return undefined;
      onKill();
      return "kill";
    };
    const changed = (data: Data): Data => {
      tries.push(command);
      const variables = data.variables.map((variable) => ({ ...variable, description }));
      return {
        ...data,
        variables,
        values: data.values.map((record) => ({ ...record, content: { value } })),
      };
    };
    const author = { actor: "me", command };
    const updating = updateDataFile(PATH, changed, { author }).then(
      () => "made" as const,
      (error: Error) => error,
    );
    const outcome = await Promise.race([updating, killed]);
    this.#noteMade(command, version);
    this.#disk.onCall = () => undefined;
    this.log.push(
      outcome instanceof Error ? `${command}: ${outcome.message}` : `${command} is ${outcome}`,
    );
    this.#figures.writes++;
    this.#figures.retries += Math.max(0, tries.length - 1);
    const own = this.#writes.findLast((write) => write.command === command);
    if (outcome === "made") {
      same(own !== undefined, true, "a write that was acknowledged is there");
      Object.assign(own as Write, { isMarked: true, mayBeMissing: false });
    } else if (outcome === "killed") {
      this.#figures.kills++;
    }
    if (end === "power cut") this.#cutPower();
    await this.#disk.restart();
    if (this.#writes.at(-1)?.command !== command) this.#noteUnmade();
    this.#versions.push(this.#disk.read(PATH));
  }

  #noteMade(command: string, before: number): void {
    const { version } = this.#disk;
    if (version === before) return;
    this.log.push(`${command} has replaced the file`);
    const last = this.#disk.read(HISTORY).toString().trimEnd().split("\n").at(-1) ?? "";
    const { id, command: recorded } = JSON.parse(last);
    same(recorded, command, "the entry of a write that is being made");
    same(this.#given.get(id) ?? command, command, `number ${id}`);
    this.#given.set(id, command);
    this.#writes.push({
      command,
      version,
      isMarked: false,
      isFollowed: false,
      mayBeMissing: false,
    });
  }

  #cutPower(): void {
    this.#figures.cuts++;
    this.#disk.cutPower(this.#random);
    this.log.push("the power is cut");
    this.#writes = this.#writes.filter(({ version }) => version <= this.#disk.version);
    const last = this.#writes.at(-1);
    if (last) {
      last.isMarked = false;
      last.mayBeMissing ||= last.isFollowed;
    }
  }

  #noteUnmade(): void {
    if (!this.#disk.names.includes(HISTORY)) return;
    const lines = this.#disk.read(HISTORY).toString().split("\n");
    for (const line of lines) {
      const { 1: state } = /^\{"id":\d+,"state":"([^"]+)","time"/.exec(line) ?? [];
      const isOutside = line.includes('"command":"changed outside"');
      const isMade = this.#writes.some(({ command }) => line.includes(`"command":"${command}"`));
      if (state && !isOutside && !isMade) this.#unmade.add(state);
    }
  }

  async #check(): Promise<void> {
    const { data, writes } = await readFileHistory(PATH);
    const all: RecordedWrite[] = [];
    for await (const change of writes) all.push(change);
    const shown = all.map(({ id, command }) => `${id} ${command}`).join(", ");
    this.log.push(`history: ${shown}`);
    this.#checkIds(all);
    let value = contentOf(data.values[0]);
    for (const { changes: records } of all) {
      const change = records.find(({ list }) => list === "values");
      if (!change) continue;
      same(contentOf(change.after), value, "the value that a change leads to");
      value = contentOf(change.before);
    }
    const recorded = all
      .filter(({ command }) => command !== "changed outside")
      .map(({ command }) => command);
    const expected = this.#writes.filter(
      (write) => !write.mayBeMissing || recorded.includes(write.command),
    );
    const commands = expected.map(({ command }) => command).reverse();
    // With a low limit, the oldest are gone: there was room for the write too, which may not have
    // been made.
    const isCut =
      this.#limit < 1_000 && all.length >= Math.floor(this.#limit * KEPT) - 1 - this.#missing;
    same(
      recorded,
      isCut ? commands.slice(0, recorded.length) : commands,
      "the writes in the history",
    );
    same(all.length <= this.#limit + 1, true, "the limit is kept");
  }

  /** How many entries may have been removed although there was room for them. */
  get #missing(): number {
    return this.#writes.filter(({ mayBeMissing }) => mayBeMissing).length;
  }

  #checkIds(all: readonly RecordedWrite[]): void {
    for (const [index, { id, command, changes }] of all.entries()) {
      const older = all[index + 1];
      if (older) same(id > older.id, true, "a number is higher than the one before");
      const isRecorded =
        command !== "changed outside" ||
        all.slice(0, index).some((change) => change.actor === "me");
      if (!isRecorded) continue;
      const what = command === "changed outside" ? JSON.stringify(changes) : command;
      same(this.#given.get(id) ?? what, what, `number ${id}`);
      this.#given.set(id, what);
    }
  }
}

function bytesOf(data: Data): Buffer {
  return Buffer.concat([...serializeData(data)]);
}

function contentOf(record: unknown): unknown {
  return (record as ValueRecord | null | undefined)?.content.value;
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}
