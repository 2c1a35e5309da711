import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { fingerprint } from "../../src/kit/files/durable-file.js";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import { dataFile } from "../support/data-file.js";
import { describeStore } from "./store.js";

describeStore("a data file", async (data) => {
  const { path } = await dataFile(data);
  return {
    async open(options) {
      const store = await openDataFile(path, options);
      onTestFinished(() => store.close());
      return store;
    },
    version: async () => ({ file: fingerprint(path), folder: await readdir(dirname(path)) }),
  };
});
