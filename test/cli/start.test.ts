import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/program.js";
import { quickCall } from "../../src/cli/start.js";
import { runCli, runWith } from "../support/cli.js";
import { CREDENTIALS, DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { Random } from "../support/random.js";
import { runningServer } from "../support/running-server.js";

describe("get without commander", () => {
  it.each([
    ["PORT"],
    ["PORT DATABASE_URL FLAGS EMPTY"],
    ["PORT -n"],
    ["-n EMPTY"],
    ["--no-newline PORT"],
    ["-0 PORT FLAGS"],
    ["PORT --null NOPE"],
    ["--json PORT FLAGS"],
    ["PORT NOPE"],
    ["PROT --json"],
    ["UNSET"],
    ["-- PORT"],
    ["-- -n"],
    ["PORT --quiet --no-color --timeout 5 --max-wait 0"],
    ["PORT --timeout 0"],
    ["PORT --env test"],
    ["PORT --auth headers"],
    ["PORT --auth=basic"],
    ["PORT --auth headers --insecure"],
    ["PORT --url http://10.0.0.1 --auth headers --timeout 0.1"],
    ["PORT --api-key other"],
    ["PORT --api-key=dev-key"],
    ["PORT --api-secret-file -"],
    ["PORT --url http://user:password@a"],
    ["PORT --url="],
    ["PORT --profile nope"],
    ["PORT --url http://127.0.0.1:1 --max-wait 0"],
  ])("prints and returns the same as with commander: get %s", async (line) => {
    const { url } = await runningServer();
    const argv = ["get", ...line.split(" ")];
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS }, stdin: "dev-secret\n" };
    const quick = await runWith((io) => quickCall(argv, io), world);
    expect(quick.code).toBeTypeOf("number");
    expect(quick).toEqual(await runWith((io) => main(argv, io), world));
  });

  it("accepts global flags before get", async () => {
    const { url } = await runningServer();
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS } };
    const quick = await runWith((io) => quickCall(["--json", "-q", "get", "PORT"], io), world);
    expect(quick).toEqual({ code: 0, stdout: '{"PORT":3000}\n', stderr: "" });
  });

  it.each([
    [{ APPVARS_API_SECRET: "" }],
    [{ APPVARS_API_KEY: "other" }],
    [{ APPVARS_API_KEY: "" }],
    [{ APPVARS_TIMEOUT: "0" }],
    [{ APPVARS_PROFILE: "nope" }],
    [{ APPVARS_AUTH: "headers" }],
    [{ APPVARS_AUTH: "basic" }],
    [{ APPVARS_URL: "http://user:password@a" }],
    [{ APPVARS_URL: "http://127.0.0.1:1", APPVARS_MAX_WAIT: "0" }],
  ])("prints and returns the same as with commander, with %o", async (variables) => {
    const { url } = await runningServer();
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS, ...variables } };
    const quick = await runWith((io) => quickCall(["get", "PORT"], io), world);
    expect(quick.code).toBeTypeOf("number");
    expect(quick).toEqual(await runWith((io) => main(["get", "PORT"], io), world));
  });

  it.each([
    ["PORT --env shop/development"],
    ["PORT FLAGS --json --env shop/development"],
    ["PROT --env shop/development"],
    ["PORT --env nope"],
    ["PORT"],
    ["PORT --data nope.json"],
  ])("prints and returns the same as with commander, from a data file: get %s", async (line) => {
    const { path } = await dataFile(DATA);
    const argv = ["get", ...line.split(" ")];
    const world = { env: { APPVARS_DATA: path } };
    const quick = await runWith((io) => quickCall(argv, io), world);
    expect(quick.code).toBeTypeOf("number");
    expect(quick).toEqual(await runWith((io) => main(argv, io), world));
  });
});

/**
 * Words of generated command lines: names, flags in each of their forms, clusters of letters,
 * values, mistakes.
 */
const WORDS = [
  ..."PORT|FLAGS||-|--|a=b|test|shop/test|5|-5|PORT\n-n|--json|--json=1|--no-json|--quiet|--qui|--verbose".split(
    "|",
  ),
  ..."--no-color|--color|-n|-q|-0|-nq|-qn|-q0|-n0|-qq|-nz|-1|-n1|-z|-é|-h|-V|-v|---|--=x|-n=q|-q=1|-qn-q".split(
    "|",
  ),
  ..."-e|-etest|-e=test|-e=|-qe|-nqe|-nqetest|--env|--env=|--env=test|--timeout|--timeout=-5|--timeout=".split(
    "|",
  ),
  ..."--no-newline|--newline|--null|--strict|--no-strict|--insecure|--insecure=1|--auth=hmac|--cache|--cache=1h".split(
    "|",
  ),
];

it("a generated command line has the same effect with and without commander", async () => {
  const { path } = await dataFile(DATA);
  const world = { env: { APPVARS_DATA: path, APPVARS_ENV: "shop/development" } };
  const random = new Random(24);
  let compared = 0;
  for (let round = 0; round < 2_500; round++) {
    const [command, ...program] = random.pick([
      ["get"],
      ["get"],
      ["run", "--", "no-such-program", "-x"],
    ]) as [string];
    const words = Array.from({ length: random.below(5) + 1 }, () => random.pick(WORDS));
    const argv = [
      ...random.pick([[], [], ["-q"], ["--json"], ["-nq"]]),
      command,
      ...words,
      ...program,
    ];
    const quick = await runWith((io) => quickCall(argv, io), world);
    if (quick.code === undefined) continue;
    compared++;
    expect(await runWith((io) => main(argv, io), world), JSON.stringify(argv)).toEqual(quick);
  }
  expect(compared).toBeGreaterThan(150);
});

it.each(["-nq PORT", "-qn PORT", "-nqe shop/test DATABASE_URL", "-nqeshop/test DATABASE_URL"])(
  "get %s prints the same with a flag that only commander knows",
  async (line) => {
    const { path } = await dataFile(DATA);
    const world = { env: { APPVARS_DATA: path, APPVARS_ENV: "shop/development" } };
    const plain = await runCli(["get", ...line.split(" ")], world);
    expect(plain.code).toBe(0);
    expect(await runCli(["get", "--cache=1h", ...line.split(" ")], world)).toEqual(plain);
  },
);

describe("calls without commander", () => {
  it.each(["-V", "-v", "--version"])("%s prints the version", async (flag) => {
    const { version } = JSON.parse(
      await readFile(new URL("../../package.json", import.meta.url), "utf8"),
    );
    const quick = await runWith((io) => quickCall([flag], io));
    expect(quick).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each([
    ["gte", "unknown command 'gte' (did you mean get?)"],
    ["ls --json", "unknown command 'ls' (did you mean list?)"],
    ["help gte", "unknown command 'gte' (did you mean get?)"],
    ["--quiet nothing-like-it --help", "unknown command 'nothing-like-it'; see --help"],
    ["", "unknown command ''; see --help"],
  ])("an unknown command is an error: %s", async (line, message) => {
    const argv = line.split(" ");
    const { code, stderr } = await runWith((io) => quickCall(argv, io));
    expect(code).toBe(2);
    expect(stderr).toContain(
      argv.includes("--json") ? JSON.stringify({ error: { code: "usage", message } }) : message,
    );
  });
});

describe("get without commander leaves to commander", () => {
  it.each([
    ["list"],
    ["get"],
    ["get -n"],
    ["get PORT --env test --env=production"],
    ["get --help"],
    ["get PORT -x"],
    ["get PORT --url"],
    ["get PORT -0n"],
    ["get PORT --null --json"],
    ["get PORT --url -n"],
    ["get PORT --cache"],
    ["get PORT --insecure=1"],
    ["--url=http://a get A"],
    ["list get"],
    ["help list"],
  ])("get without commander leaves %j to commander", async (line) => {
    const argv = line.split(" ");
    expect(await runWith((io) => quickCall(argv, io))).toEqual({
      code: undefined,
      stdout: "",
      stderr: "",
    });
  });
});

describe("run without commander leaves to commander", () => {
  it.each([
    ["list"],
    ["run"],
    ["run --"],
    ["run true"],
    ["run true -- true"],
    ["run --help -- true"],
    ["run --env test --env=production -- true"],
    ["run -x -- true"],
    ["run --url -- true"],
    ["run --only PORT -- true"],
    ["run --exec -- true"],
    ["run --cache -- true"],
    ["run --insecure=1 -- true"],
    ["--url=http://a run -- true"],
    ["-- run -- true"],
    ["help list"],
  ])("run without commander leaves %j to commander", async (line) => {
    const argv = line.split(" ");
    expect(await runWith((io) => quickCall(argv, io))).toEqual({
      code: undefined,
      stdout: "",
      stderr: "",
    });
  });
});
