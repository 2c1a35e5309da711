import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { encrypt } from "../../../../src/client/envelope.js";
import * as schemas from "../../../../src/store/schema/value-schema.js";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { CREDENTIALS, edited } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { get } from "../../../support/http.js";
import { runningServer } from "../../../support/running-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const KEY = "the key";
const sealed = (text: string) => encrypt(text, KEY);

/**
 * Encrypted values: one that keeps its schema, one that breaks it, and one that is not of its type.
 */
const ENCRYPTED = edited(({ variables, values }) => {
  variables[0].schema = { maximum: 9_000 };
  variables[1].schema = { format: "url" };
  values[0].content.value = sealed("9999");
  values[1].content.value = sealed("postgres://localhost/dev");
  values[2].content.value = sealed("yes");
});
const BROKEN = "\tPORT\tmust be <= 9000\n\tDEBUG\tmust be a BOOLEAN\n";
const UNREADABLE = "can't be decrypted: the key is wrong, or the value was changed";

describe("check with a key", () => {
  it("check decrypts values of a data file, and checks them", async () => {
    const { path } = await dataFile(ENCRYPTED);
    const env = { APPVARS_DATA: path, APPVARS_ENV: "shop/development" };
    const found = await runCli(["check"], { env: { ...env, APPVARS_ENC_KEY: KEY } });
    const expected = `\tUNSET\thas no value\n${BROKEN}`.replaceAll(/^\t/gm, "shop/development\t");
    expect(found).toEqual({ code: 1, stdout: expected, stderr: "" });
    const withoutKey = await runCli(["check", "--json"], { env });
    expect(JSON.parse(withoutKey.stdout)).toEqual([
      { environment: "shop/development", missing: ["UNSET"], invalid: [] },
    ]);
    const other = await runCli(["check"], { env: { ...env, APPVARS_ENC_KEY: "another" } });
    expect(other.stdout.match(new RegExp(UNREADABLE, "g"))).toHaveLength(3);
  });

  it("check decrypts values of a server, whose schemas it does not know", async () => {
    const { url } = await runningServer({ data: ENCRYPTED as object });
    const env = { APPVARS_URL: url, ...CREDENTIALS, APPVARS_ENC_KEY: "another" };
    const { invalid } = JSON.parse((await runCli(["check", "--json"], { env })).stdout)[0];
    expect(invalid).toEqual(
      ["DATABASE_URL", "PORT", "DEBUG"].map((name) => ({ name, rule: UNREADABLE })),
    );
  });
});

it("a server checks the values of an environment once for each version of the data", async () => {
  const find = vi.spyOn(schemas, "findProblems");
  const file = await dataFile(
    edited(({ variables }) => (variables[0].schema = { maximum: 9_000 })),
  );
  const server = await runningServer({ data: file.path });
  const targets = ["/v1/check", "/v1/check?a", "/v1/check?b", "/v1/variables", "/v1/check"];
  const answers = await Promise.all(targets.map((target) => get(server, target)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(find).toHaveBeenCalledTimes(1);
});

describe("a project with strict", () => {
  const cli = cliWithDataFile();

  it("export is strict, unless --no-strict is given", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, ".appvars.json"), '{"strict": true}');
    const env = { ...cli.env, APPVARS_ALLOW_PROJECT: "1" };
    const exporting = (...flags: string[]) =>
      runCli(["export", ...flags, "--format", "json"], { cwd, env });
    expect(await exporting()).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("UNSET"),
    });
    expect(await exporting("--no-strict")).toMatchObject({ code: 0 });
    expect(await exporting("--exclude", "UNSET")).toMatchObject({ code: 0 });
    await writeFile(join(cwd, ".appvars.json"), '{"strict": false}');
    expect(await exporting()).toMatchObject({ code: 0 });
    await writeFile(join(cwd, ".appvars.json"), '{"strict": "yes"}');
    expect(await exporting()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("must be true or false"),
    });
  });

  it("export --strict refuses a value that breaks its schema with 8, and does not quote it", async () => {
    await cli.run(["set", "DATABASE_URL", "--schema", '{"format":"email"}']);
    await cli.run(["set", "UNSET", "--optional"]);
    expect(await cli.run(["export", "--strict"])).toEqual({
      code: 8,
      stdout: "",
      stderr: 'appvars: --strict: DATABASE_URL must match format "email"\n',
    });
  });
});

it("import --encrypt checks the values that it encrypts", async () => {
  const { path } = await dataFile(
    edited(({ variables }) => (variables[1].schema = { format: "url" })),
  );
  const file = join(await temporaryFolder(), "x.env");
  await writeFile(file, "DATABASE_URL=hunter2");
  const env = { APPVARS_DATA: path, APPVARS_ENV: "shop/development", APPVARS_ENC_KEY: KEY };
  const stderr = 'appvars: refused by the schema: DATABASE_URL must match format "url"\n';
  expect(await runCli(["import", file, "--encrypt"], { env })).toEqual({
    code: 2,
    stdout: "",
    stderr,
  });
  expect(await runCli(["set", "DATABASE_URL", "hunter2", "--encrypt"], { env })).toEqual({
    code: 2,
    stdout: "",
    stderr,
  });
});
