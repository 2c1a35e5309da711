import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";

const cli = cliWithDataFile();

const readExports = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );

it("env add prints the credentials of the new environment", async () => {
  const { code, stdout, stderr } = await cli.run(["env", "add", "shop/staging"]);
  const { environments } = JSON.parse(await readFile(cli.path, "utf8"));
  const { api_key, api_secret } = environments.at(-1);
  expect([code, stderr]).toEqual([0, ""]);
  expect(readExports(stdout)).toEqual({ APPVARS_API_KEY: api_key, APPVARS_API_SECRET: api_secret });
  expect(await cli.run(["env", "add", "shop/staging"])).toMatchObject({ code: 2, stdout: "" });
});

it.each(["soon", "0h", "1w", "-1h", "1.5h"])(
  "env rotate refuses the grace period %s",
  async (grace) => {
    expect(await cli.run(["env", "rotate", "test", `--grace=${grace}`])).toMatchObject({
      code: 2,
      stdout: "",
    });
  },
);

it.each(["", "a/b/c", "caf\ufffd", "/a", "a/", "tab\there", "x".repeat(256)])(
  "env add refuses the name %j",
  async (name) => {
    expect(await cli.run(["env", "add", name])).toMatchObject({ code: 2, stdout: "" });
  },
);

it("env remove warns of a setting with the name of the environment", async () => {
  const remove = () => cli.run(["env", "remove", "shop/production", "--yes", "--dry-run"]);
  expect((await remove()).stderr).toBe("");
  for (const name of ["shop/production", "production"]) {
    cli.env["APPVARS_ENV"] = name;
    expect((await remove()).stderr).toBe(`appvars: APPVARS_ENV still names ${name}: change it\n`);
  }
});

it("env remove needs --yes, and without it lists the data it would remove", async () => {
  const { code, stderr } = await cli.run(["env", "remove", "production"]);
  expect([code, stderr]).toEqual([
    2,
    "appvars: this would remove shop/production with its credentials and 1 values: add --yes to do so\n",
  ]);
  expect(await cli.run(["env", "remove", "production", "--yes"])).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  expect((await cli.run(["env", "list"])).stdout).not.toContain("production");
});
