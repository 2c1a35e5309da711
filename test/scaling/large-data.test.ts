import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { memoryOf } from "../bench/shared/memory.mjs";
import { bigData, ENVIRONMENTS } from "../support/big-data.mjs";
import { cpuSeconds } from "../support/cpu-time.js";
import { dataFile } from "../support/data-file.js";
import { startEtcdCluster } from "../support/etcd.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { type ServeProcess, serveProcess } from "../support/serve-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { appvarsByCpu, loadText } from "./processes.js";
import { startReplica, timeText } from "./replicas.js";

const SIZES = QUICK ? [10_000] : [10_000, 100_000];
// Those of one attempt, on a machine that may have other work.
const [MAX_IMPORT_RATIO, MAX_START_RATIO] = QUICK ? [3, 2.5] : [2, 1.5];

const [NAME = ""] = ENVIRONMENTS;
const CREDENTIALS = { "x-api-key": `key-of-${NAME}`, "x-api-secret": `secret-of-${NAME}` };

describe.skipIf(process.platform !== "linux")("a store with many variables", needs("etcd"), () => {
  it.each(SIZES)(
    "gets them by one import, and is served, about as fast as from a file: %i",
    async (size) => {
      const { environments, variables, values } = bigData(size);
      const empty = { version: 1 as const, environments, variables: [], values: [] };
      const file = join(await temporaryFolder(), "values.json");
      // The values of the first environment come first.
      const contents = variables.map(({ name }, index) => [name, values[index]?.content.value]);
      await writeFile(file, JSON.stringify(Object.fromEntries(contents)));

      /** Imports into empty data, and then starts a server. */
      const importAndServe = async (
        place: readonly string[],
        serve: () => Promise<ServeProcess>,
      ) => {
        const startedAt = performance.now();
        const imported = await appvarsByCpu("import", file, ...place, "--env", `shop/${NAME}`);
        expect(imported).toMatchObject({ code: 0, stderr: "" });
        const importedAt = performance.now();
        const server = await serve();
        const [servedAt, startCpu] = [performance.now(), cpuSeconds(server.pid)];
        const { json } = await get(server, "/v1/variables-values?limit=1", CREDENTIALS);
        expect(json).toMatchObject({ metadata: { total: size } });
        const { now, peak } = memoryOf(server.pid);
        const text =
          `import ${timeText(importedAt - startedAt)} (CPU ${timeText(imported.cpu * 1_000)}), ` +
          `start ${timeText(servedAt - importedAt)} (CPU ${timeText(startCpu * 1_000)}), ` +
          `${Math.round(now)} MB of memory, ${Math.round(peak)} MB at its peak`;
        return { text, importCpu: imported.cpu, startCpu };
      };
      const { address } = (await startEtcdCluster()).access();
      await createEtcdStore({ address }, empty);
      const onEtcd = await importAndServe(["--store", address.url], () =>
        startReplica(address.url),
      );
      const { path } = await dataFile(empty);
      const onFile = await importAndServe(["--data", path], () => serveProcess(["--data", path]));
      const [importRatio, startRatio] = [
        onEtcd.importCpu / onFile.importCpu,
        onEtcd.startCpu / onFile.startCpu,
      ];
      report(
        `${grouped(size)} variables`,
        "imported from a JSON file into an empty store, then a replica is started; the same with a data file",
        `${onEtcd.text}; with the data file ${onFile.text}; CPU time: import ${importRatio.toFixed(2)} times, ` +
          `start ${startRatio.toFixed(2)} times; ${loadText()}`,
      );
      expect(importRatio).toBeLessThanOrEqual(MAX_IMPORT_RATIO);
      expect(startRatio).toBeLessThanOrEqual(MAX_START_RATIO);
    },
  );
});
