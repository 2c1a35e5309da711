import { readFileHistory } from "../../src/store/file/file-history.js";
import { updateDataFile } from "../../src/store/file/update-data-file.js";
import { dataFile } from "../support/data-file.js";
import { describeHistory } from "./history.js";

describeHistory("a data file", async (data) => {
  const { path } = await dataFile(data);
  return {
    update: (change) =>
      updateDataFile(path, change, { author: { actor: "me@here", command: "test" } }),
    history: () => readFileHistory(path),
  };
});
