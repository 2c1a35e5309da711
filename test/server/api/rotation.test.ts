import { describe, expect, it } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { rotateEnvironment } from "../../../src/store/edits/edit-environments.js";
import { DATA } from "../../support/data.js";
import { get, type Headers } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";
import { signByHand } from "../../support/sign-by-hand.js";

const NEW = { api_key: "new-key", api_secret: "new-secret" };
const HOUR = 3_600_000;

/** DATA after a rotation of shop/development with a grace period of one hour. */
function rotated(ago: number): Data {
  return rotateEnvironment(DATA, "shop/development", NEW, { now: Date.now() - ago, grace: HOUR });
}

const TARGET = "/v1/variables-values-by-name/PORT";
const CREDENTIALS: [string, () => Headers, () => Headers][] = [
  [
    "key and secret",
    () => ({ "x-api-key": "dev-key", "x-api-secret": "dev-secret" }),
    () => ({ "x-api-key": "new-key", "x-api-secret": "new-secret" }),
  ],
  [
    "a signature",
    () => ({
      "x-api-key": "dev-key",
      authorization: signByHand({ secret: "dev-secret", route: TARGET }),
    }),
    () => ({
      "x-api-key": "new-key",
      authorization: signByHand({ secret: "new-secret", route: TARGET }),
    }),
  ],
  [
    "a signature without a key",
    () => ({ authorization: signByHand({ secret: "dev-secret", route: TARGET }) }),
    () => ({ authorization: signByHand({ secret: "new-secret", route: TARGET }) }),
  ],
];

describe.each(CREDENTIALS)("after a rotation, with %s", (_what, old, renewed) => {
  it("both pairs are accepted during the grace period after a rotation, for the same environment", async () => {
    const server = await runningServer({ data: rotated(HOUR / 2) });
    const answers = [await get(server, TARGET, old()), await get(server, TARGET, renewed())];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
  });

  it("only the new pair is accepted after the grace period of a rotation", async () => {
    const server = await runningServer({ data: rotated(HOUR + 1) });
    expect((await get(server, TARGET, old())).status).toBe(401);
    expect((await get(server, TARGET, renewed())).status).toBe(200);
  });
});

it("a key is refused with the secret of another pair of the same environment", async () => {
  const server = await runningServer({ data: rotated(0) });
  const mixed = [
    { "x-api-key": "new-key", "x-api-secret": "dev-secret" },
    { "x-api-key": "dev-key", "x-api-secret": "new-secret" },
  ];
  for (const headers of mixed) expect((await get(server, TARGET, headers)).status).toBe(401);
});

it("a key that was rotated out can't be another environment's", async () => {
  const clash = { ...DATA.environments[1], api_key: "dev-key" };
  const { environments } = rotated(0);
  const data = { ...DATA, environments: [environments[0], clash] };
  await expect(runningServer({ data })).rejects.toThrow(
    'environments[1] (id 2, "test"): has the same api_key as environments[0]',
  );
});
