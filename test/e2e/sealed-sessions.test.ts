import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFileSealing } from "../../src/store/bytes/data-text.js";
import { createDataFile } from "../../src/store/file/data-file.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { SEAL_KEY } from "../support/data-file.js";
import { InProcessSession } from "../support/scripts/in-process-session.js";
import { testScripts } from "../support/scripts/test-scripts.js";

/** Sessions that list the key file, copy the sealed file without it, or check who can read it. */
const OTHERS = [
  "diff.txt",
  "doctor.txt",
  "dry-run.txt",
  "export-refusals.txt",
  "history.txt",
  "merge.txt",
  "migrate.txt",
  "seal.txt",
];

// Every command prints the same for a sealed file.
testScripts(
  fileURLToPath(new URL("../scripts/", import.meta.url)),
  async (options) => {
    const file = join(options.folder, "example.json");
    const data = await parseData(readFileSync(file));
    rmSync(file);
    await createDataFile(file, data, await createFileSealing(SEAL_KEY, "sealed"));
    writeFileSync(`${file}.key`, SEAL_KEY, { mode: 0o600 });
    return new InProcessSession(options);
  },
  (name) => !OTHERS.includes(name),
);
