import { describe, expect, it } from "vitest";
import { mergeData } from "../../src/store/merge-data.js";
import { checkData } from "../../src/store/parse-data.js";
import { applyChange, type Branch, contentOf, overlap, randomRound, unreported } from "../support/branches.js";

const ROUNDS = 1_000;
const KINDS: [what: string, changes: number, isApart: boolean][] = [
  ["200 changes, each branch of things of its own", 200, true],
  ["200 changes of any things", 200, false],
  ["20 changes of any things", 20, false],
];

describe(`in ${ROUNDS} rounds, a merge of two random branches`, () => {
  it.each(KINDS.map((kind, index) => [...kind, index] as const))(
    "equals the changes one after the other, but for reported conflicts: %s",
    (_what, changes, isApart, remainder) => {
      let [clean, rounds] = [0, 0];
      for (let seed = 1; seed <= ROUNDS; seed++) {
        if (seed % KINDS.length !== remainder) continue;
        const { base, ours, theirs } = randomRound(seed, changes, isApart);
        const { data, conflicts } = mergeData(base, ours.data, theirs.data);
        expect(checkData(structuredClone(data))).toEqual(data);
        const both: Branch = { data: ours.data, names: new Map(ours.names) };
        for (const change of theirs.changes) applyChange(both, change);
        if (overlap(ours.changes, theirs.changes).size === 0) expect([seed, conflicts]).toEqual([seed, []]);
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
