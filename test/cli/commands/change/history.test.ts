import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Io } from "../../../../src/cli/output/context.js";
import { main } from "../../../../src/cli/start.js";
import { runCli, runWith } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { edited } from "../../../support/data.js";

const cli = cliWithDataFile();

const run = async (line: string) => {
  const result = await cli.run(line.split(" "));
  expect(result.stderr).toBe("");
  return result.stdout;
};
const textOf = async (name: string, env: string) =>
  (await cli.run(["get", name, "--env", env])).stdout;

it("history shows a value in the open while its variable is public, and no value from before that", async () => {
  for (const line of ["1", "2 --public", "3", "4 --no-public", "5 --public", "6"])
    await run(`set PORT ${line} --env test`);
  const rows = (await run("history PORT --env test")).trim().split("\n");
  const shown = rows
    .map((row) => row.split("\t").slice(6))
    .filter(([change]) => !change?.startsWith("definition"));
  const hidden = ["changed", "(hidden)", "(hidden)"];
  expect(shown).toEqual([
    ["changed", "5", "6"],
    hidden,
    hidden,
    hidden,
    hidden,
    ["added", "", "(hidden)"],
  ]);
  const [newest, before] = JSON.parse(await run("history PORT --env test --json"));
  expect(newest.changes).toMatchObject([{ before: 5, after: 6 }]);
  expect(Object.keys(before.changes[1])).toEqual([
    "kind",
    "what",
    "application",
    "environment",
    "name",
  ]);
});

it("history shows an encrypted value as it is", async () => {
  const env = { ...cli.env, APPVARS_ENC_KEY: "a secret that only the owner has" };
  expect(await runCli(["set", "TOKEN", "plain text", "--encrypt"], { env })).toMatchObject({
    code: 0,
  });
  const { stdout } = await runCli(["history", "TOKEN", "--values"], { env });
  const { values } = JSON.parse(await readFile(cli.path, "utf8"));
  expect(stdout).toContain(values.at(-1).content.value);
  expect(stdout).not.toContain("plain text");
});

it("rollback --env brings back a value whose variable was removed and created again", async () => {
  await run("set NEW old --env production --description Before");
  await run("unset NEW --env production");
  await run("set NEW mine --env test");
  await run("set NEW other --env production");
  await run("rollback 2 --env production --yes");
  expect([await textOf("NEW", "production"), await textOf("NEW", "test")]).toEqual([
    "old\n",
    "mine\n",
  ]);
  expect(await run("list --env test --filter NEW")).toBe("NEW\tSTRING\t\n");
  // Nobody else uses it then.
  await run("unset NEW --env test");
  await run("rollback 2 --env production --yes");
  expect(await run("list --env production --filter NEW")).toBe("NEW\tSTRING\tBefore\n");
});

it("rollback --env leaves alone what other environments and applications use", async () => {
  await run("set DATABASE_URL one --env test --description Ours");
  await run("set DATABASE_URL two --env shop/development");
  await run("set DATABASE_URL three --env billing/development --description Theirs");
  expect(await run("rollback 1 --env test --yes")).toBe("shop/test\tDATABASE_URL\tchanged\n");
  expect(await textOf("DATABASE_URL", "shop/development")).toBe("two\n");
  expect(await run("list --env test --filter DATABASE")).toBe("DATABASE_URL\tSTRING\tOurs\n");
});

it("rollback --only leaves alone the definitions and values of other variables", async () => {
  await run("set PORT 1 --env test --description Port");
  await run("set OTHER 1 --env test --description Before");
  await run("set OTHER 2 --env test --description After");
  await run("set NEW new --env test");
  await run("set PORT 2 --env test --description Changed");
  expect(await run("rollback 2 --only PORT --yes")).toBe(
    "shop\tPORT\tdefinition changed\nshop/test\tPORT\tchanged\n",
  );
  expect([await textOf("OTHER", "test"), await textOf("NEW", "test")]).toEqual(["2\n", "new\n"]);
  expect(await run("list --env test --filter OTHER")).toBe("OTHER\tSTRING\tAfter\n");
});

it("rollback --only brings back no value of an environment that is gone", async () => {
  await run("set PORT 1 --env test");
  await run("set PORT 2 --env production");
  await run("env remove test --yes");
  expect(await run("rollback 2 --only PORT --yes")).toBe("shop/production\tPORT\tremoved\n");
  const { code, stdout } = await cli.run(["rollback", "1", "--yes"]);
  expect([code, stdout]).toEqual([
    0,
    "shop/test\t\tenvironment added\nshop/test\tDATABASE_URL\tadded\n",
  ]);
});

it("rollback refuses to change data that another program has changed since it was shown", async () => {
  await run("set PORT 1 --env test");
  const theirs = JSON.stringify(edited((data) => data.values.pop()));
  const onStdout = () => writeFileSync(cli.path, theirs);
  const { code, stderr } = await runCli(["rollback", "1", "--yes"], { env: cli.env, onStdout });
  expect([code, stderr]).toEqual([
    2,
    "appvars: the data has been changed by another program; try again\n",
  ]);
  expect(await readFile(cli.path, "utf8")).toBe(theirs);
});

it.each([
  ["y\n", 0],
  ["Yes\n", 0],
  ["n\n", 2],
  ["\n", 2],
  // Ctrl-D.
  ["", 2],
])("rollback asks on a terminal: %j", async (answer, code) => {
  await run("set PORT 1 --env test");
  const onTerminal = (io: Io) =>
    main(["rollback", "1"], { ...io, stdin: Object.assign(io.stdin, { isTTY: true }) });
  const result = await runWith(onTerminal, { env: cli.env, stdin: answer, terminal: true });
  expect(result).toMatchObject({
    code,
    stderr: expect.stringContaining("restore this as it was before change 1? [y/N]"),
  });
  expect(await run("history PORT --limit 1 --json")).toContain(`"id":${code === 0 ? 2 : 1}`);
});

describe("rollback, where values would break their schemas", () => {
  const refusal =
    "appvars: refused by the schema: PORT must be >= 4000; to do it anyway, add --broken\n";

  it.each([
    ["values", ["set PORT 4001", "set PORT 4002 --env test", "set PORT --schema {"], "1"],
    ["a schema", ["set PORT --schema {", "set PORT --no-schema", "set OTHER 1"], "2"],
  ])("refuses %s, with the names, unless --broken is given", async (_what, lines, number) => {
    for (const line of lines) await cli.run(line.replace("{", '{"minimum":4000}').split(" "));
    if (number === "1") {
      // The schema stays, and the values would come back.
      const only = ["rollback", "1", "--env", "shop/development", "--only", "PORT", "--yes"];
      const { code, stderr } = await cli.run(only);
      expect([code, stderr]).toEqual([2, refusal]);
      expect((await cli.run([...only, "--broken"])).code).toBe(0);
    } else {
      for (const more of ["--yes", "--dry-run"]) {
        const { code, stderr } = await cli.run(["rollback", number, more]);
        expect([code, stderr]).toEqual([2, refusal]);
      }
      expect((await cli.run(["rollback", number, "--yes", "--broken"])).code).toBe(0);
    }
    expect(await textOf("PORT", "shop/development")).toBe("3000\n");
    expect((await cli.run(["check", "--env", "shop/development"])).stdout).toContain(
      "PORT\tmust be >= 4000",
    );
  });
});
