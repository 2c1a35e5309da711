import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { cliWithDataFile } from "../../support/cli-with-data-file.js";

const cli = cliWithDataFile();

const CHANGES = [
  "set PORT 4000",
  "set NEW x --description words",
  "set PORT text --type STRING --all-envs",
  "set DATABASE_URL x --env test --env production --env billing/development",
  "set PORT --optional",
  "unset PORT FLAGS",
  "unset UNSET DATABASE_URL --all-envs --application shop",
  "import -",
  "rename PORT LISTEN",
  "rename DATABASE_URL LEDGER --application billing",
  "env add shop/staging",
  "env add staging --from production",
  "env add billing/staging --from shop/development",
  "env rename production live",
  "env rotate test --grace 1h",
  "env remove test --yes",
];

it.each(CHANGES)(
  "%s --dry-run prints what history lists after the change, and changes nothing",
  async (line) => {
    const argv = line.split(" ");
    const before = await readFile(cli.path);
    const shown = await cli.run(
      [...argv, "--dry-run", "--values", "--json"],
      "PORT=1\nADDED=true\n",
    );
    expect([shown.code, shown.stderr]).toEqual([0, ""]);
    expect(await readFile(cli.path)).toEqual(before);
    expect(await readdir(dirname(cli.path))).toHaveLength(1);

    expect((await cli.run(argv, "PORT=1\nADDED=true\n")).code).toBe(0);
    const { stdout } = await cli.run(["history", "--values", "--json"]);
    const [{ changes, command }, ...others] = JSON.parse(stdout);
    expect(others).toEqual([]);
    expect(line.startsWith(command)).toBe(true);
    expect(JSON.parse(shown.stdout)).toEqual(changes);
  },
);

it.each(CHANGES)("rollback takes back %s with one change", async (line) => {
  const records = async () => {
    const { environments, variables, values } = JSON.parse(await readFile(cli.path, "utf8"));
    return {
      environments: environments.map(({ id, name }: { id: number; name: string }) => [id, name]),
      variables,
      values,
    };
  };
  // A first change writes the file with defaults.
  await cli.run(["set", "EMPTY", "full"]);
  const before = await records();
  await cli.run(line.split(" "), "PORT=1\nADDED=true\n");
  await cli.run(["rollback", "2", "--yes"]);
  const after = await records();
  const byId = (list: { id: number }[]) => list.toSorted((a, b) => a.id - b.id);
  expect(after.environments.toSorted()).toEqual(before.environments.toSorted());
  expect(byId(after.variables)).toEqual(byId(before.variables));
  expect(byId(after.values)).toEqual(byId(before.values));
});

it("a dry run prints no values without --values, and no credentials", async () => {
  const { stdout } = await cli.run(["set", "DATABASE_URL", "hunter2", "--dry-run"]);
  expect(stdout).toBe("shop/development\tDATABASE_URL\tchanged\n");
  const added = await cli.run(["env", "add", "staging", "--from", "test", "--dry-run", "--values"]);
  expect(added.stdout).toBe(
    "shop/staging\t\tenvironment added\t\tshop/staging\nshop/staging\tDATABASE_URL\tadded\t\tpostgres://localhost/test\n",
  );
});
