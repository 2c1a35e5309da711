import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDataFile } from "../../../src/store/file/json-file-store.js";
import type { EditableStore, Reloadable, Store } from "../../../src/store/store.js";
import { MARKER, marked } from "../../store/broken-data.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

// A change may only be found by the poll, once a second.
const PATIENCE = { timeout: 10_000, interval: 10 };

describe("a watched data file", () => {
  it("is reloaded when it is written to", async () => {
    const { path, store } = await watched();
    await writeFile(path, version("second"));
    await untilServed(store, "second");
  });

  it("is reloaded each time it is replaced", async () => {
    const { path, store } = await watched();
    for (let count = 1; count <= 10; count++) {
      await replace(path, version(`replacement ${count}`));
      await untilServed(store, `replacement ${count}`);
    }
  });

  it("is read with the last of many quick changes", async () => {
    const { path, store } = await watched();
    for (let count = 1; count <= 100; count++) await replace(path, version(`replacement ${count}`));
    await untilServed(store, "replacement 100");
    expect(store.problem).toBeUndefined();
  });

  it("is reloaded when a link above it is swapped, as Kubernetes does with a ConfigMap", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "..first"));
    await mkdir(join(folder, "..second"));
    await writeFile(join(folder, "..first", "data.json"), version("first"));
    await writeFile(join(folder, "..second", "data.json"), version("second"));
    await symlink("..first", join(folder, "..data"));
    await symlink(join("..data", "data.json"), join(folder, "data.json"));
    const store = await opened(join(folder, "data.json"));
    expect(served(store)).toBe("first");

    await symlink("..second", join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
    await untilServed(store, "second");
  });

  it("is reloaded when the target of a link to it changes", async () => {
    const folder = await temporaryFolder();
    const real = join(await temporaryFolder(), "real.json");
    await writeFile(real, version("first"));
    await symlink(real, join(folder, "data.json"));
    const store = await opened(join(folder, "data.json"));
    await replace(real, version("second"));
    await untilServed(store, "second");
  });

  it("a store keeps serving the last good data while its file is deleted, and the new data when it is created again", async () => {
    const { path, store } = await watched();
    await rm(path);
    await vi.waitFor(() => expect(store.problem).toBeDefined(), PATIENCE);
    expect(store.problem).toBe(
      "the data file can't be read: no such file or folder; the last good data is served",
    );
    expect(served(store)).toBe("first");

    await writeFile(path, version("second"));
    await untilServed(store, "second");
    expect(store.problem).toBeUndefined();
  });

  it.each([
    [
      `{"version": 1, "api_secret": "${MARKER}`,
      "is not valid JSON: line 1, column 30: not a valid string",
    ],
    [
      JSON.stringify(marked((d) => (d.version = MARKER))),
      "has an unknown version; this appvars reads version 1",
    ],
    [
      JSON.stringify(marked((d) => (d.values[0].content.value = MARKER))),
      'values[0] (id 12): content.value must be a NUMBER, like its variable "PORT"',
    ],
    ["", "is empty"],
  ])(
    "a store keeps serving the last good data after a bad edit, says why without a value, and reads the fixed file",
    async (...edit) => {
      const [text, reason] = edit;
      const { path, store } = await watched();
      const before = store.data;
      await replace(path, text);
      await vi.waitFor(() => expect(store.problem).toBeDefined(), PATIENCE);
      expect(store.problem).toBe(`the data file ${reason}; the last good data is served`);
      expect(store.problem).not.toContain(MARKER);
      expect(store.data).toBe(before);

      await replace(path, version("mended"));
      await untilServed(store, "mended");
      expect(store.problem).toBeUndefined();
    },
  );

  it("a store notifies each listener of good and bad changes until it unsubscribes", async () => {
    const { path, store } = await watched();
    const stays = vi.fn();
    const leaves = vi.fn();
    store.subscribe(stays);
    const leave = store.subscribe(leaves);
    await replace(path, "bad");
    await vi.waitFor(() => expect(stays).toHaveBeenCalledTimes(1), PATIENCE);
    expect(leaves).toHaveBeenCalledTimes(1);

    leave();
    await replace(path, version("second"));
    await vi.waitFor(() => expect(stays).toHaveBeenCalledTimes(2), PATIENCE);
    expect(served(store)).toBe("second");
    expect(leaves).toHaveBeenCalledTimes(1);
  });

  it("is not affected by changes to other files in its folder", async () => {
    const { path, store } = await watched();
    const listener = vi.fn();
    store.subscribe(listener);
    await writeFile(join(dirname(path), "other.json"), "other");
    await replace(path, version("second"));
    await untilServed(store, "second");
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("is read again after changes by others, but not after those of its own store", async () => {
    const { path } = await watched();
    const check = vi.fn();
    const store = await opened(path, { check });
    const witness = await opened(path);
    const reloads = vi.fn();
    witness.onReload(reloads);
    await store.update((data) => data);
    await store.update(() => JSON.parse(version("own")));
    const { data } = store;
    await vi.waitFor(() => expect(reloads).toHaveBeenCalled(), PATIENCE);
    expect(check).toHaveBeenCalledTimes(1);
    expect(store.data).toBe(data);

    await replace(path, version("other"));
    await untilServed(store, "other");
    expect(check).toHaveBeenCalledTimes(2);
  });

  it("is not read after its store was closed", async () => {
    const { path, store } = await watched();
    const witness = await opened(path);
    const listener = vi.fn();
    store.subscribe(listener);
    await store.close();
    for (const text of ["second", "third"]) {
      await replace(path, version(text));
      await untilServed(witness, text);
    }
    expect(listener).not.toHaveBeenCalled();
    expect(served(store)).toBe("first");
  });
});

/** A data file whose one sign of its version is a description. */
function version(text: string): string {
  return JSON.stringify(marked((data) => (data.variables[0].description = text)));
}

function served({ data }: Store): string | undefined {
  return data.variables[0]?.description;
}

async function untilServed(store: Store, text: string): Promise<void> {
  await vi.waitFor(() => expect(served(store)).toBe(text), PATIENCE);
}

async function watched(): Promise<{ path: string; store: Store }> {
  const path = join(await temporaryFolder(), "data.json");
  await writeFile(path, version("first"));
  return { path, store: await opened(path) };
}

async function opened(path: string, options = {}): Promise<EditableStore & Reloadable> {
  const store = await openDataFile(path, { ...options, watch: true });
  onTestFinished(() => store.close());
  return store;
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
