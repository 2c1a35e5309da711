// Data as a large company has it, always the same.

const WORDS =
  "api auth cache cart checkout database email export feature fraud gateway invoice kafka ledger login payment queue search session tax";
const KINDS = "_URL _TIMEOUT_MS _ENABLED _OPTIONS".split(" ");
const TYPES = ["STRING", "NUMBER", "BOOLEAN", "JSON"];
export const ENVIRONMENTS = ["staging", "production"];

/** @param {number} index from 0 */
export function bigName(index) {
  const words = WORDS.toUpperCase().split(" ");
  const pair = [
    words[index % words.length],
    words[Math.floor(index / words.length) % words.length],
  ];
  return `${pair.join("_")}_${String(index).padStart(6, "0")}${KINDS[index % TYPES.length]}`;
}

/**
 * A data file's content with so many variables of all four types, each with a value in each
 * environment.
 *
 * @param {number} count
 * @param {number} valueLength characters of a text or JSON value
 * @param {readonly string[]} environments their names
 */
export function bigData(count, valueLength = 200, environments = ENVIRONMENTS) {
  const variables = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    application: "shop",
    type: TYPES[index % TYPES.length],
    name: bigName(index),
    description: `How the ${WORDS.split(" ")[(index * 7) % 20]} service finds its ${WORDS.split(" ")[(index * 3) % 20]}`,
  }));
  const values = environments.flatMap((_, environment) =>
    variables.map(({ id }) => ({
      id: environment * count + id,
      variable_id: id,
      environment_id: environment + 1,
      content: { value: bigValue(id - 1, environment, valueLength) },
    })),
  );
  return { version: 1, environments: environments.map(environmentOf), variables, values };
}

function environmentOf(name, index) {
  return {
    id: index + 1,
    application: "shop",
    name,
    api_key: `key-of-${name}`,
    api_secret: `secret-of-${name}`,
  };
}

/** One in ten differs between the environments. */
function bigValue(index, environment, length) {
  const seed = index % 10 === 0 ? index + environment : index;
  const text = (start, size) =>
    `${start}${(seed * 2_654_435_761).toString(36).repeat(size)}`.slice(0, size);
  switch (TYPES[index % TYPES.length]) {
    case "NUMBER":
      return seed * 10;
    case "BOOLEAN":
      return seed % 3 === 0;
    case "JSON":
      return {
        retries: seed % 7,
        hosts: [text("a", 20), text("b", 20)],
        note: text("", Math.max(0, length - 80)),
      };
    default:
      return text("https://", length);
  }
}
