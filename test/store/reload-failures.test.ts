import type { Stats } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import type { Store } from "../../src/store/store.js";
import { DATA } from "../support/data.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The codes that functions of the file system fail with, and the paths that were opened. */
interface Failing {
  open: string | undefined;
  stat: string | undefined;
  opened: string[];
}

const failing = vi.hoisted((): Failing => ({ open: undefined, stat: undefined, opened: [] }));

const failure = vi.hoisted(() => (code: string) => Object.assign(new Error(code), { code }));

vi.mock("node:fs", async (load) => {
  const real = await load<typeof import("node:fs")>();
  return {
    ...real,
    open: (
      path: string,
      flags: number,
      done: (error: Error | null, descriptor?: number) => void,
    ) => {
      failing.opened.push(path);
      if (failing.open) done(failure(failing.open));
      else real.open(path, flags, done);
    },
  };
});

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  return {
    ...real,
    stat: (...args: Parameters<typeof real.stat>): Promise<Stats | unknown> =>
      failing.stat ? Promise.reject(failure(failing.stat)) : real.stat(...args),
  };
});

const PATIENCE = { timeout: 15_000, interval: 10 };

/** A watched data file, and a function that replaces it with one that has this description. */
async function watched() {
  const path = join(await temporaryFolder(), "data.json");
  const write = async (description: string) => {
    const variables = DATA.variables.map((variable) => ({ ...variable, description }));
    await writeFile(`${path}.new`, JSON.stringify({ ...DATA, variables }));
    await rename(`${path}.new`, path);
  };
  await write("first");
  // A failure is over sooner than at the next second.
  const { setInterval: every } = globalThis;
  const poll = vi
    .spyOn(globalThis, "setInterval")
    .mockImplementationOnce((check) => every(check, 100));
  const store = await openDataFile(path, { watch: true });
  poll.mockRestore();
  onTestFinished(async () => {
    Object.assign(failing, { open: undefined, stat: undefined, opened: [] });
    await store.close();
  });
  return { path, store, write };
}

const served = ({ data }: Store) => data.variables[0]?.description;
const untilServed = (store: Store, text: string) =>
  vi.waitFor(() => expect(served(store)).toBe(text), PATIENCE);
const opens = (path: string) => failing.opened.filter((opened) => opened === path).length;

async function untilOpenedAgain(path: string, times: number): Promise<void> {
  const before = opens(path);
  await vi.waitFor(() => expect(opens(path)).toBeGreaterThanOrEqual(before + times), PATIENCE);
}

describe("a data file that has changed and can't be read", () => {
  it.each([
    ["EIO", "input/output error"],
    ["ENOMEM", "out of memory"],
    ["EACCES", "permission denied"],
    ["EMFILE", "too many open files"],
    ["ENOENT", "no such file or folder"],
    ["ESTALE", "ESTALE"],
  ])(
    "a data file that couldn't be read is read once the failure (%s) is gone, without another change",
    async (code, reason) => {
      const { store, write } = await watched();
      failing.open = code;
      await write("second");
      await vi.waitFor(() => expect(store.problem).toBeDefined(), PATIENCE);
      expect(store.problem).toBe(
        `the data file can't be read: ${reason}; the last good data is served`,
      );
      expect(served(store)).toBe("first");
      failing.open = undefined;
      await untilServed(store, "second");
      expect(store.problem).toBeUndefined();
    },
  );

  it("a store notifies listeners once for each problem, however often reading fails", async () => {
    const { path, store, write } = await watched();
    const problems: (string | undefined)[] = [];
    store.subscribe(() => problems.push(/(input\/output|memory)/.exec(store.problem ?? "")?.[0]));
    failing.open = "EIO";
    await write("second");
    await untilOpenedAgain(path, 4);
    failing.open = "ENOMEM";
    await untilOpenedAgain(path, 2);
    failing.open = undefined;
    await untilServed(store, "second");
    expect(problems).toEqual(["input/output", "memory", undefined]);
  });

  it("a data file is still read after changes while stat fails", async () => {
    const { store, write } = await watched();
    failing.stat = "EIO";
    for (const text of ["second", "third"]) {
      await write(text);
      await untilServed(store, text);
    }
    failing.stat = undefined;
    await write("fourth");
    await untilServed(store, "fourth");
  });

  it("a changed data file is not read after its store was closed", async () => {
    const [closed, open] = [await watched(), await watched()];
    failing.open = "EIO";
    await Promise.all([closed.write("second"), open.write("second")]);
    for (const { store } of [closed, open])
      await vi.waitFor(() => expect(store.problem).toBeDefined(), PATIENCE);
    await closed.store.close();
    const before = opens(closed.path);
    await untilOpenedAgain(open.path, 3);
    expect(opens(closed.path)).toBe(before);
  });
});
