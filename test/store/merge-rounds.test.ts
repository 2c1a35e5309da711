import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { type Data, LIST_NAMES, lastId } from "../../src/store/data.js";
import { mergeData } from "../../src/store/edits/merge-data.js";
import { mergeFiles } from "../../src/store/file/merge-files.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import {
  applyChange,
  type Branch,
  contentOf,
  KEYS,
  openSealed,
  overlap,
  randomRound,
  sealedBranches,
  secretsOf,
  unreported,
} from "../support/branches.js";
import { THOROUGH } from "../support/measuring.js";

const ROUNDS = THOROUGH ? 150 : 20;
const KINDS: [what: string, changes: number, isApart: boolean][] = [
  ["200 changes, each branch of things of its own", 200, true],
  ["200 changes of any things", 200, false],
  ["20 changes of any things", 20, false],
];

describe(`in ${ROUNDS} rounds, a merge of two random branches`, () => {
  it.each(KINDS.map((kind, index) => [...kind, index] as const))(
    "equals the changes one after the other, but for reported conflicts: %s",
    async (_what, changes, isApart, remainder) => {
      let [clean, rounds] = [0, 0];
      for (let seed = 1; seed <= ROUNDS; seed++) {
        if (seed % KINDS.length !== remainder) continue;
        const { base, ours, theirs } = randomRound(seed, changes, isApart);
        const { data, conflicts } = await mergeData(base, ours.data, theirs.data);
        expect(checkData(structuredClone(data))).toEqual(data);
        for (const list of LIST_NAMES)
          expect(lastId(data, list)).toBeGreaterThanOrEqual(
            Math.max(lastId(ours.data, list), lastId(theirs.data, list)),
          );
        const both: Branch = { data: ours.data, names: new Map(ours.names) };
        for (const change of theirs.changes) applyChange(both, change);
        if (overlap(ours.changes, theirs.changes).size === 0)
          expect([seed, conflicts]).toEqual([seed, []]);
        const merged = contentOf(data, both, ours, theirs);
        const expected = contentOf(both.data, both, ours, theirs);
        expect([seed, unreported(merged, expected, conflicts)]).toEqual([seed, []]);
        const own = contentOf(ours.data, both, ours, theirs);
        for (const { record } of conflicts.filter(({ record: text }) => /^\S+ in /.test(text))) {
          const value = record.split(" in ").join(" ");
          expect([seed, record, merged.get(value)]).toEqual([seed, record, own.get(value)]);
        }
        rounds++;
        if (conflicts.length === 0) clean++;
      }
      expect(isApart ? clean === rounds : clean < rounds).toBe(true);
    },
    120_000,
  );
});

/** A round on sealed files, and its merge in clear. */
async function sealedRound(seed: number, changes: number, isApart: boolean) {
  const { base, ours, theirs } = randomRound(seed, changes, isApart);
  const files = sealedBranches(base, ours.data, theirs.data) as [Data, Data, Data];
  return { ours, theirs, files, clear: await mergeData(base, ours.data, theirs.data) };
}

describe(`in ${ROUNDS} rounds, a merge of two sealed branches`, () => {
  it("with the key equals the merge in clear, and what one of them holds keeps its sealed text", async () => {
    let resealed = 0;
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const { files, clear } = await sealedRound(seed, seed % 2 === 0 ? 200 : 20, seed % 4 === 0);
      const { data, conflicts } = await mergeFiles(...files, KEYS);
      expect([seed, conflicts]).toEqual([seed, clear.conflicts]);
      expect([seed, openSealed(data)]).toEqual([seed, clear.data]);
      const sides = files
        .slice(1)
        .map((file) => ({ texts: secretsOf(file), secrets: secretsOf(openSealed(file)) }));
      const texts = secretsOf(data);
      for (const [name, secret] of secretsOf(clear.data)) {
        const known = sides.find(({ secrets }) => isDeepStrictEqual(secrets.get(name), secret));
        if (!known) resealed++;
        else expect([seed, name, texts.get(name)]).toEqual([seed, name, known.texts.get(name)]);
      }
    }
    expect(resealed).toBeGreaterThan(0);
  }, 240_000);

  it("without the key equals that merge too, but for reported conflicts, or needs the key", async () => {
    const ends = { clean: 0, conflicts: 0, "needs the key": 0 };
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const isApart = seed % 3 === 0;
      const { ours, theirs, files, clear } = await sealedRound(
        seed,
        seed % 4 === 0 ? 200 : 20,
        isApart,
      );
      // Then values of the other's variables have other sealed texts.
      const isEnvironment = (cell: string) => /\/(dev|test|prod) (name|\*)$/.test(cell);
      const cells = [ours, theirs].flatMap(({ changes }) =>
        changes.flatMap(({ touched }) => touched),
      );
      const isClean = isApart && !cells.some(isEnvironment);
      const merge = () => mergeFiles(...files, undefined);
      let merged: Awaited<ReturnType<typeof merge>>;
      try {
        merged = await merge();
      } catch (error) {
        expect([seed, isClean, String(error)]).toEqual([
          seed,
          false,
          expect.stringContaining("the seal key is needed (set APPVARS_SEAL_KEY): "),
        ]);
        ends["needs the key"]++;
        continue;
      }
      const { data, conflicts } = merged;
      const [found, expected] = [openSealed(data), clear.data].map((each) =>
        contentOf(each, ours, theirs),
      );
      expect([seed, found && expected && unreported(found, expected, conflicts)]).toEqual([
        seed,
        [],
      ]);
      if (isClean) expect([seed, conflicts]).toEqual([seed, []]);
      const records = conflicts.map(({ record }) => record);
      expect([seed, records]).toEqual([
        seed,
        expect.arrayContaining(clear.conflicts.map(({ record }) => record)),
      ]);
      if (conflicts.length === 0) ends.clean++;
      else ends.conflicts++;
    }
    expect(Object.values(ends).filter((count) => count < ROUNDS / 20)).toEqual([]);
  }, 240_000);
});
