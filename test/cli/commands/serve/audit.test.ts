import { utimes, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Data } from "../../../../src/store/data.js";
import { updateDataFile } from "../../../../src/store/file/update-data-file.js";
import { runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { set, setJson } from "../../../support/edits.js";

const at = (time: string) => Date.parse(`2026-01-31T${time}:00.000Z`);
const PORT_VALUE_ID = 12;

it("a value that another program has changed is listed, whenever that was since the last known change", async () => {
  const { path, write } = await dataFile(DATA);
  const log = `${path}.log`;
  const read = { variable_id: 2, name: "PORT", value_id: PORT_VALUE_ID };
  const readAt = new Date(at("12:20")).toISOString();
  await writeFile(log, `${JSON.stringify({ time: readAt, client: "bob", read: [read] })}\n`);
  const change = (edit: (data: Data) => Data, time: string) =>
    updateDataFile(path, edit, { clock: () => at(time) });
  const deploy = async (data: Data, time: string) => {
    await write(data);
    await utimes(path, at(time) / 1_000, at(time) / 1_000);
  };
  const names = async () => {
    const { stdout } = await runCli(["audit", log, "--client", "bob", "--data", path, "--json"]);
    return JSON.parse(stdout).map(({ name }: { name: string }) => name);
  };
  const { data } = await change((before) => set(before, { PORT: 3001 }), "12:00");
  const deployed = set(data, { PORT: 4444 });
  await deploy(deployed, "12:10");
  expect(await names()).toEqual(["PORT"]);
  // Both are "changed outside" at 12:30 now.
  await deploy(setJson(deployed, "FLAGS", { beta: false }), "12:30");
  expect(await names()).toEqual(["PORT"]);
  await change((before) => set(before, { PORT: 5000 }), "12:40");
  expect(await names()).toEqual([]);
});

it.each([
  [
    "a line of 33 MB",
    `{"time":"2026-01-31T12:00:00Z","x":"${"x".repeat(33 * 1_048_576)}`,
    "is longer than 32 MB",
  ],
  [
    "a number that JavaScript rounds",
    '{"time":"2026-01-31T12:00:00Z","lines_lost":1e400}\n',
    "is not of an audit log",
  ],
])("%s is refused, with its number", async (_what, line, problem) => {
  const { path } = await dataFile(DATA);
  const log = `${path}.log`;
  await writeFile(log, `{"time":"2026-01-31T12:00:00Z"}\n${line}`);
  const { code, stderr } = await runCli(["audit", log, "--data", path]);
  expect({ code, stderr }).toEqual({ code: 8, stderr: `appvars: ${log} line 2 ${problem}\n` });
});
