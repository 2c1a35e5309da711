import { describe, expect, it } from "vitest";
import { encrypt } from "../../src/client/envelope.js";
import { runCli } from "../support/cli.js";
import { CREDENTIALS, DATA, edited } from "../support/data.js";
import { forwardingServer } from "../support/forwarding-server.js";

const ALL = "/v1/variables-values-by-name";
const CHECK = "/v1/check";
const VARIABLES = "/v1/variables?limit=1000&offset=0";
const VALUES = "/v1/variables-values?limit=1000&offset=0";
const KEY = "a passphrase";
const SEALED = encrypt("8080", KEY);

/** An environment without a missing value, in which PORT is encrypted or not. */
function complete(isSealed = false): object {
  return edited(({ variables, values }) => {
    variables.find(({ name }: { name: string }) => name === "UNSET").optional = true;
    if (isSealed) values[0].content.value = SEALED;
  }) as object;
}

async function requests(line: string, { data, isOld, env = {} }: Options = {}) {
  const { url, targets } = await forwardingServer({
    isOld: isOld ?? false,
    data: data ?? complete(),
  });
  const result = await runCli(line.split(" "), {
    env: { APPVARS_URL: url, ...CREDENTIALS, ...env },
  });
  return { ...result, targets: targets.toSorted() };
}

interface Options {
  data?: object;
  isOld?: boolean;
  env?: Record<string, string>;
}

describe("the requests of a command", () => {
  it.each([
    ["export --format json", [ALL]],
    ["export --format shell --skip-unsupported --exclude DEBUG", [ALL]],
    ["export --format json --only PORT,DEBUG", [`${ALL}?names=PORT,DEBUG`]],
    ["export --format json --only PORT,D*", [ALL]],
    ["export --format json --only PORT --exclude DEBUG", [ALL]],
    ["export --format json --strict", [CHECK, ALL]],
    ["export --format json --strict --only PORT", [CHECK, `${ALL}?names=PORT`]],
    // Its comments say the types.
    ["export --skip-unsupported", [VARIABLES, ALL]],
    ["list", [VARIABLES]],
    ["list --values", [VARIABLES, ALL]],
    ["check", [CHECK]],
  ])("%s", async (line, targets) => {
    expect(await requests(line)).toMatchObject({ code: 0, targets: targets.toSorted() });
  });

  it.each([
    ["export --format json", [ALL, VARIABLES, VALUES]],
    ["export --skip-unsupported", [ALL, VARIABLES, VALUES]],
    ["list --values", [ALL, VARIABLES, VALUES]],
    ["export --format json --strict", [ALL, VARIABLES, VALUES, CHECK]],
  ])("%s from a server that does not know the read of all values", async (line, targets) => {
    const { stdout } = await requests(line);
    expect(await requests(line, { isOld: true })).toMatchObject({
      code: 0,
      stdout,
      targets: targets.toSorted(),
    });
  });

  it("the definitions are read for the type of an encrypted value only", async () => {
    const data = complete(true);
    const env = { APPVARS_ENC_KEY: KEY };
    const sealed = await requests("export --format json", { data, env });
    expect(sealed).toMatchObject({ code: 0, targets: [ALL, VARIABLES] });
    expect(JSON.parse(sealed.stdout)).toMatchObject({ PORT: 8080, DEBUG: true });
    const open = await requests("export --format json --only DEBUG", { data, env });
    expect(open).toMatchObject({ code: 0, targets: [`${ALL}?names=DEBUG`] });
  });

  it("the definitions are read to suggest a name", async () => {
    const { code, stderr, targets } = await requests("export --format json --only PROT", {
      data: DATA,
    });
    expect([code, stderr]).toEqual([
      3,
      'appvars: there is no variable "PROT" (did you mean PORT?)\n',
    ]);
    expect(targets).toEqual([`${ALL}?names=PROT`, VARIABLES]);
  });
});
