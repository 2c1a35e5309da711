import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serializeData } from "../../../build/store/bytes/data-text.js";
import { bigData } from "../../support/big-data.mjs";

/** Characters of a text value. */
const VALUE_LENGTH = 100;
const ENVIRONMENTS = 10;

/** Variables with values in one of ten environments, which the requests are for. */
export function benchData(count) {
  const { environments, values, ...data } = bigData(count, VALUE_LENGTH);
  const own = environments.at(-1);
  const others = Array.from({ length: ENVIRONMENTS - environments.length }, (_, index) => ({
    id: environments.length + index + 1,
    application: own.application,
    name: `empty-${index}`,
    api_key: `key-of-empty-${index}`,
    api_secret: `secret-of-empty-${index}`,
  }));
  return {
    ...data,
    environments: [...environments, ...others],
    values: values.filter(({ environment_id }) => environment_id === own.id),
  };
}

/**
 * The same with so many named keys of the environment that has values; every other one has `only`.
 */
export function withNamedKeys(data, count) {
  const keys = Array.from({ length: count }, (_, index) => ({
    ...{
      name: `client-${index}`,
      api_key: `key-of-client-${index}`,
      api_secret: `secret-of-client-${index}`,
    },
    ...(index % 2 === 1 && { only: ["*"] }),
  }));
  const environments = data.environments.map((each) =>
    each.api_key === KEY ? { ...each, keys } : each,
  );
  return { ...data, environments };
}

/** The environment of `benchData` that has values. */
export const { api_key: KEY, api_secret: SECRET } = bigData(0).environments.at(-1);

/** Writes a data file, and returns its path and its size in MB (10^6 bytes). */
export function writeData(folder, name, data) {
  const path = join(folder, name);
  const text = JSON.stringify(data);
  writeFileSync(path, text, { mode: 0o600 });
  return { path, megabytes: Buffer.byteLength(text) / 1e6 };
}

/**
 * Writes a data file as appvars writes it, with values in both of its environments, and returns its
 * path.
 */
export function writeGrowingData(folder, name, count) {
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat([...serializeData(bigData(count, VALUE_LENGTH))]), {
    mode: 0o600,
  });
  return path;
}
