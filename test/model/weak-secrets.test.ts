import { describe, expect, it } from "vitest";
import { describeWeakSecrets, type EnvironmentRecord } from "../../src/model/environment.js";

const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const STRONG = ["0123456789abcdef", "fedcba9876543210"] as const;

function environment(
  name: string,
  api_secret: string,
  previous?: [secret: string, validUntil: string],
) {
  const old = previous && [
    { api_key: `old-key-of-${name}`, api_secret: previous[0], valid_until: previous[1] },
  ];
  const record = { id: 1, application: "shop", name, api_key: `key-of-${name}`, api_secret };
  return { ...record, ...(old && { previous: old }) } satisfies EnvironmentRecord;
}

const find = (...environments: EnvironmentRecord[]) => describeWeakSecrets(environments, NOW);

describe("describeWeakSecrets", () => {
  it("finds nothing in secrets that are long and different", () => {
    expect(find(environment("test", STRONG[0]), environment("production", STRONG[1]))).toEqual([]);
  });

  it("finds short secrets", () => {
    expect(
      find(
        environment("a", "x"),
        environment("b", STRONG[0]),
        environment("c", STRONG[0].slice(1)),
      ),
    ).toEqual(["API secrets shorter than 16 characters can be guessed: shop/a, shop/c"]);
  });

  it("finds environments with the same secret", () => {
    const all = [
      environment("a", STRONG[0]),
      environment("b", STRONG[1]),
      environment("c", STRONG[0]),
    ];
    expect(find(...all)).toEqual([
      "with the same API secret, clients of one can read the others: shop/a, shop/c",
    ]);
  });

  it("finds secrets that are a key", () => {
    expect(
      find(environment("production", "key-of-production"), environment("test", STRONG[0])),
    ).toEqual(["API secrets that are also an API key are not secret: shop/production"]);
  });

  it("counts a rotated-out pair while it is valid", () => {
    const rotated = (validUntil: string) => environment("a", STRONG[0], [STRONG[1], validUntil]);
    const other = environment("b", STRONG[1]);
    expect(find(rotated("2026-01-31T12:00:01.000Z"), other)).toHaveLength(1);
    expect(find(rotated("2026-01-31T12:00:00.000Z"), other)).toEqual([]);
    expect(find(environment("a", STRONG[0], ["x", "2026-01-31T12:00:01.000Z"]))).toHaveLength(1);
  });

  it("does not count one environment that had the same secret before", () => {
    expect(find(environment("a", STRONG[0], [STRONG[0], "2026-01-31T12:00:01.000Z"]))).toEqual([]);
  });
});
