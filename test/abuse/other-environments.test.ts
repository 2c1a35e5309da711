import { expect, it } from "vitest";
import { type Attempt, askAll, type RawAnswer, requestText } from "../support/connection.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { Random } from "../support/random.js";
import { report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { signByHand } from "../support/sign-by-hand.js";
import { canaryData } from "./canaries.js";

const TRIES = QUICK ? 2_000 : 10_000;

const DATA = canaryData();

interface Try extends Attempt {
  readonly key: string;
  readonly target: string;
}

/** Each key with everything that another environment has, and its own does not. */
function hiddenTargets() {
  return DATA.environments.flatMap((environment) => {
    const own = new Set(
      DATA.values
        .filter(({ environment_id }) => environment_id === environment.id)
        .map(({ id }) => id),
    );
    const ownVariables = DATA.values
      .filter(({ id }) => own.has(id))
      .map(({ variable_id }) => variable_id);
    const targets = [
      ...DATA.values.filter(({ id }) => !own.has(id)).map(({ id }) => `/v1/variables-values/${id}`),
      ...DATA.variables
        .filter(({ application }) => application !== environment.application)
        .map(({ id }) => `/v1/variables/${id}`),
      ...DATA.variables
        .filter(({ id }) => !ownVariables.includes(id))
        .flatMap(({ name }) =>
          ["", "/content"].map((end) => `/v1/variables-values-by-name/${name}${end}`),
        ),
    ];
    return targets.map((target) => ({ environment, target }));
  });
}

/** A target of the same kind for a record that no environment has. */
function absent(target: string): string {
  return target
    .replace(/\/\d+$/, "/999999")
    .replace(/by-name\/\w+/, "by-name/NOTHING_IS_CALLED_THIS");
}

/** The answer without its date. */
function comparable({ head, body }: RawAnswer): string {
  return `${head.replace(/^Date: .*\r\n/im, "")}\r\n\r\n${body}`;
}

it("no key reveals anything of another environment", async () => {
  const { path } = await dataFile(DATA);
  const { port, log } = await serveProcess(["--data", path, "--rate-limit", "0"]);
  const random = new Random(2);
  const all = hiddenTargets();
  const tries = Array.from({ length: TRIES }, () => random.pick(all)).map(
    ({ environment, target }) => ({
      key: environment.api_key,
      target,
      bytes: requestText("GET", target, [
        ["x-api-key", environment.api_key],
        random.below(2) === 0
          ? ["x-api-secret", environment.api_secret]
          : ["Authorization", signByHand({ secret: environment.api_secret, route: target })],
      ]),
    }),
  );
  const expected = new Map<string, string>();
  const references = DATA.environments.flatMap(({ api_key, api_secret }) =>
    [...new Set(all.map(({ target }) => absent(target)))].map((target) => ({
      key: api_key,
      target,
      bytes: requestText("GET", target, [
        ["x-api-key", api_key],
        ["x-api-secret", api_secret],
      ]),
    })),
  );
  await askAll<Try>(port, references, (answer, { key, target }) => {
    expect(answer).toMatchObject({ status: 404, body: '{"message":"Not found"}' });
    if (answer) expected.set(`${key} ${target}`, comparable(answer));
  });

  const leaks: string[] = [];
  await askAll<Try>(port, tries, (answer, { key, target }) => {
    if (!answer || comparable(answer) !== expected.get(`${key} ${absent(target)}`))
      leaks.push(`${target}: ${answer?.head}`);
  });
  report(
    "Other environments",
    `${grouped(TRIES)} requests with each key for records of other environments only`,
    `${leaks.length} leaks; each answer is that for something that doesn't exist`,
  );
  expect(leaks).toEqual([]);
  expect(log()).not.toMatch(/error/i);
});
