import { join } from "node:path";
import { expect } from "vitest";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import { runCli } from "./cli.js";
import { edited } from "./data.js";
import { temporaryFolder } from "./temporary-folder.js";

/** Data with every field that a record can have. */
export const FULL = edited((data) => {
  data.$schema = "./appvars.schema.json";
  data.last_ids = { environments: 9, variables: 90, values: 900 };
  data.environments[0].previous = [
    { api_key: "old-key", api_secret: "old-secret", valid_until: "2099-01-31T12:00:00.000Z" },
  ];
  data.environments[1].keys = [
    {
      ...{ name: "ana", api_key: "ana-key", api_secret: "ana-secret", only: ["PORT", "D*"] },
      valid_until: "2099-01-31T12:00:00.000Z",
      rotated_at: "2026-01-31T12:00:00.000Z",
      previous: [
        {
          api_key: "old-ana-key",
          api_secret: "old-ana-secret",
          valid_until: "2098-01-31T12:00:00.000Z",
        },
      ],
    },
  ];
  data.values[3].content.value = {
    'quote"': "line\nbreak \ud83d\ude00",
    deep: [[{ a: -1.5e-7 }]],
    n: null,
  };
});
export const COUNTS = "4 environments, 8 variables and 9 values";

/** Text that must not be printed. */
export const SECRET = /secret|postgres|old-key|dev-key|ana-|production only/;

/** Runs the command, and checks that it prints neither values nor secrets. */
export async function migrate(from: string, to: string, ...flags: string[]) {
  const { code, stdout, stderr } = await runCli(["migrate", from, to, ...flags]);
  expect(stdout + stderr).not.toMatch(SECRET);
  return { code, stdout, stderr };
}

/** The path of a file that does not exist yet. */
export async function newFile(): Promise<string> {
  return join(await temporaryFolder(), "new.json");
}

export async function readData(path: string) {
  const store = await openDataFile(path);
  await store.close();
  return store.data;
}
