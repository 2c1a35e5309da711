import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { memoryOf } from "../bench/shared/memory.mjs";
import { bigData, ENVIRONMENTS } from "../support/big-data.mjs";
import { BINARY, run } from "../support/binary.js";
import { dataFile } from "../support/data-file.js";
import { startEtcdCluster } from "../support/etcd.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { type ServeProcess, serveProcess } from "../support/serve-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { startReplica, timeText } from "./replicas.js";

const VARIABLES = QUICK ? 10_000 : 100_000;

const { environments, variables, values } = bigData(VARIABLES);
const EMPTY = { version: 1 as const, environments, variables: [], values: [] };
const [NAME = ""] = ENVIRONMENTS;
const CREDENTIALS = { "x-api-key": `key-of-${NAME}`, "x-api-secret": `secret-of-${NAME}` };

describe.skipIf(process.platform !== "linux")("a store with many variables", needs("etcd"), () => {
  it("gets them by one import, and is served", async () => {
    const file = join(await temporaryFolder(), "values.json");
    // The values of the first environment come first.
    const contents = variables.map(({ name }, index) => [name, values[index]?.content.value]);
    await writeFile(file, JSON.stringify(Object.fromEntries(contents)));

    /** Imports into empty data, and then starts a server. */
    const importAndServe = async (place: readonly string[], serve: () => Promise<ServeProcess>) => {
      const startedAt = performance.now();
      const imported = await run(process.execPath, [BINARY, "import", file, ...place, "--env", `shop/${NAME}`]);
      expect(imported).toEqual({ code: 0, stdout: "", stderr: "" });
      const importedAt = performance.now();
      const server = await serve();
      const servedAt = performance.now();
      const { json } = await get(server, "/v1/variables-values?limit=1", CREDENTIALS);
      expect(json).toMatchObject({ metadata: { total: VARIABLES } });
      const { now, peak } = memoryOf(server.pid);
      return (
        `import ${timeText(importedAt - startedAt)}, start ${timeText(servedAt - importedAt)}, ` +
        `${Math.round(now)} MB of memory, ${Math.round(peak)} MB at its peak`
      );
    };
    const { address } = (await startEtcdCluster()).access();
    await createEtcdStore({ address }, EMPTY);
    const onEtcd = await importAndServe(["--store", address.url], () => startReplica(address.url));
    const { path } = await dataFile(EMPTY);
    const onFile = await importAndServe(["--data", path], () => serveProcess(["--data", path]));
    report(
      `${grouped(VARIABLES)} variables`,
      "imported from a JSON file into an empty store, then a replica is started; the same with a data file",
      `${onEtcd}; with the data file ${onFile}`,
    );
  });
});
