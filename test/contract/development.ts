/** The variables of `shop/development` in test/support/data.ts as the API returns them. */
export const VARIABLES = [
  { id: 1, type: "STRING", name: "DATABASE_URL", description: "Primary database" },
  { id: 2, type: "NUMBER", name: "PORT", description: "Where it listens" },
  { id: 3, type: "BOOLEAN", name: "DEBUG", description: "" },
  { id: 4, type: "JSON", name: "FLAGS", description: "Feature flags" },
  { id: 5, type: "STRING", name: "__proto__", description: "An ordinary name" },
  { id: 6, type: "STRING", name: "EMPTY", description: "An empty text" },
  { id: 7, type: "STRING", name: "UNSET", description: "Has a value in production only" },
];

/** Its values. */
export const VALUES = [
  { id: 11, variable_id: 1, content: { value: "postgres://localhost/dev" } },
  { id: 12, variable_id: 2, content: { value: 3000 } },
  { id: 13, variable_id: 3, content: { value: true } },
  { id: 14, variable_id: 4, content: { value: { beta: ["x", null, 1.5] } } },
  { id: 15, variable_id: 5, content: { value: "not a prototype" } },
  { id: 16, variable_id: 6, content: { value: "" } },
];

/** The same by name. */
export const NAMED_VALUES = Object.fromEntries(
  VALUES.map(({ variable_id, content }) => [
    VARIABLES.find(({ id }) => id === variable_id)?.name,
    content.value,
  ]),
);

/** Names without a value here: unknown, unset, or invalid. */
export const ABSENT_NAMES = [
  "NOT_THERE",
  "UNSET",
  "database_url",
  "constructor",
  "toString",
  "",
  ".",
  "..",
  "a/b",
  "a b",
  "é",
  "PORT/content",
  "PORT?",
  "%50ORT",
  "$&",
  "P".repeat(300),
];
