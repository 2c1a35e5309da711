import { describe, expect, it } from "vitest";
import { findEnvironment } from "../../src/model/environment.js";
import type { Data } from "../../src/store/data.js";
import {
  addEnvironment,
  copyValues,
  removeEnvironment,
  renameEnvironment,
  rotateEnvironment,
} from "../../src/store/edits/edit-environments.js";
import { renameVariable } from "../../src/store/edits/edit-values.js";
import { rollBack } from "../../src/store/edits/roll-back.js";
import type { History, RecordedWrite } from "../../src/store/history.js";
import { DATA } from "../support/data.js";
import { set, unset } from "../support/edits.js";

/** Data that has a history. */
export interface RecordedData {
  /** Changes the data as `me@here` with the command `test`. */
  update(change: (data: Data) => Data): Promise<unknown>;
  history(): Promise<History>;
}

const STAGING = { application: "shop", name: "staging" };
const PAIR = { api_key: "new-key", api_secret: "new-secret-of-some-length" };
const port = (before: number, after: number) => ({
  list: "values",
  before: { id: 12, variable_id: 2, environment_id: 1, content: { value: before } },
  after: { id: 12, variable_id: 2, environment_id: 1, content: { value: after } },
});

/**
 * The behavior of every history.
 *
 * @param hold stores data, without a history, for the current test
 */
export function describeHistory(name: string, hold: (data: Data) => Promise<RecordedData>): void {
  const changesOf = async (held: RecordedData) => {
    const changes: RecordedWrite[] = [];
    for await (const change of (await held.history()).writes) changes.push(change);
    return changes;
  };

  describe(`${name}, as a history`, () => {
    it("is empty at first", async () => {
      const held = await hold(DATA as Data);
      expect(await changesOf(held)).toEqual([]);
      expect((await held.history()).data.values).toHaveLength(DATA.values.length);
    });

    it("has each change, newest first, with its author, its time and the records before and after", async () => {
      const held = await hold(DATA as Data);
      const start = Date.now();
      await held.update((data) => set(data, { PORT: 1 }));
      await held.update((data) => set(data, { PORT: 2, NEW: "x" }));
      const [second, first, ...others] = await changesOf(held);
      expect(others).toEqual([]);
      expect(first).toMatchObject({ actor: "me@here", command: "test", changes: [port(3000, 1)] });
      expect(second?.changes).toEqual([
        {
          list: "variables",
          before: null,
          after: { id: 9, application: "shop", type: "STRING", name: "NEW", description: "" },
        },
        port(1, 2),
        {
          list: "values",
          before: null,
          after: { id: 20, variable_id: 9, environment_id: 1, content: { value: "x" } },
        },
      ]);
      expect(second?.id).toBe((first?.id ?? 0) + 1);
      expect(Date.parse(first?.time ?? "")).toBeGreaterThanOrEqual(start);
    });

    it("has no change that changes nothing, and none that fails", async () => {
      const held = await hold(DATA as Data);
      await held.update((data) => data);
      await expect(
        held.update((data) => ({ ...data, variables: data.variables.slice(1) })),
      ).rejects.toThrow();
      expect(await changesOf(held)).toEqual([]);
    });

    it("tells that credentials were added, rotated and removed, and does not hold them", async () => {
      const held = await hold(DATA as Data);
      await held.update((data) =>
        addEnvironment(data, { application: "shop", name: "staging" }, PAIR),
      );
      const other = { api_key: "other-key", api_secret: "other-secret-of-some-length" };
      const times = { now: Date.now(), grace: 1_000 };
      await held.update((data) => rotateEnvironment(data, "shop/staging", other, times));
      await held.update((data) => removeEnvironment(data, "shop/staging"));
      const changes = await changesOf(held);
      const text = JSON.stringify(changes);
      for (const secret of [PAIR, other].flatMap(Object.values)) expect(text).not.toContain(secret);
      const [removed, rotated, added] = changes.map((change) => change.changes[0]);
      const staging = {
        id: 5,
        application: "shop",
        name: "staging",
        credentials: expect.stringMatching(/^[0-9a-f]{4}$/),
      };
      expect(added).toEqual({ list: "environments", before: null, after: staging });
      expect(rotated).toEqual({ list: "environments", before: staging, after: staging });
      expect(removed).toEqual({ list: "environments", before: staging, after: null });
      expect([rotated?.before, removed?.before]).toEqual([added?.after, rotated?.after]);
    });

    it("leads back to any of its changes, but for credentials", async () => {
      const held = await hold(DATA as Data);
      const lists = async () => {
        const { environments, variables, values } = (await held.history()).data;
        const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
        return [environments.map(({ id, name }) => ({ id, name })), variables, values].map((list) =>
          list.toSorted(byId),
        );
      };
      const states = [await lists()];
      for (const change of [
        (data: Data) => set(data, { PORT: 1, NEW: "x" }),
        (data: Data) => unset(data, "PORT", "NEW"),
        (data: Data) => removeEnvironment(data, "shop/development"),
        (data: Data) => addEnvironment(data, STAGING, PAIR),
        (data: Data) => copyValues(data, findEnvironment(data.environments, "production"), STAGING),
        (data: Data) => renameVariable(data, "shop", "DATABASE_URL", "DB_URL"),
        (data: Data) =>
          renameEnvironment(data, findEnvironment(data.environments, "test"), {
            ...STAGING,
            name: "qa",
          }),
      ]) {
        await held.update(change);
        states.push(await lists());
      }
      for (const state of states.toReversed().slice(1)) {
        const all = await changesOf(held);
        const oldest = all.slice(0, all.length - states.indexOf(state));
        await held.update((data) => rollBack(data, oldest, {}));
        expect(await lists()).toEqual(state);
        // A rollback can be taken back too.
        const [rollback] = await changesOf(held);
        await held.update((data) => rollBack(data, rollback ? [rollback] : [], {}));
        expect(await lists()).toEqual(states.at(-1));
      }
    });
  });
}
