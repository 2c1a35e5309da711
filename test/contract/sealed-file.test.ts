import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { serializeData } from "../../src/store/bytes/data-text.js";
import { FileSealing } from "../../src/store/bytes/file-sealing.js";
import type { Data } from "../../src/store/data.js";
import { readFileHistory } from "../../src/store/file/file-history.js";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import { updateDataFile } from "../../src/store/file/update-data-file.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import { dataFile, SEAL_KEY } from "../support/data-file.js";
import { describeHistory } from "./history.js";
import { describeStore } from "./store.js";

/** A data file with this content, sealed as far as it is valid. */
async function sealedFile(content: unknown): Promise<string> {
  const data = withDefaults(content);
  const sealed = new FileSealing(SEAL_KEY, "sealed").seal(data);
  const { path } = await dataFile(Buffer.concat([...serializeData(sealed)]).toString());
  return path;
}

function withDefaults(content: unknown): Data {
  try {
    return checkData(content);
  } catch {
    return content as Data;
  }
}

describeStore("a sealed data file", async (data) => {
  const path = await sealedFile(data);
  return {
    async open(options) {
      const store = await openDataFile(path, { ...options, sealKeys: SEAL_KEY });
      onTestFinished(() => store.close());
      return store;
    },
    version: async () => ({
      file: await readFile(path, "utf8"),
      folder: await readdir(dirname(path)),
    }),
  };
});

describeHistory("a sealed data file", async (data) => {
  const path = await sealedFile(data);
  const author = { actor: "me@here", command: "test" };
  return {
    update: (change) =>
      updateDataFile(path, change, { author, sealing: new FileSealing(SEAL_KEY) }),
    history: () => readFileHistory(path, new FileSealing(SEAL_KEY)),
  };
});
