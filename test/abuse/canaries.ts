import { createHash } from "node:crypto";
import type { Data } from "../../src/store/data.js";
import { aRecord } from "../support/records.js";

const APPLICATIONS = ["shop", "billing", "search"];
const ENVIRONMENTS = ["development", "test", "production"];
/** Variables of an application that have a value in each environment. */
const SHARED = 4;

/** Hexadecimal digits that occur nowhere else: text that contains them has leaked. */
function canary(...words: (string | number)[]): string {
  return createHash("sha256").update(words.join()).digest("hex");
}

/**
 * Data in which every secret and every value, but for those that are true, can be recognized. Each
 * environment also has a variable with a value only there.
 */
export function canaryData(): Data {
  const environments = APPLICATIONS.flatMap((application) =>
    ENVIRONMENTS.map((name) => ({
      application,
      name,
      api_key: canary("key", application, name).slice(0, 24),
    })),
  ).map((each, index) => ({ id: index + 1, ...each, api_secret: canary("secret", index) }));
  const variables = APPLICATIONS.flatMap((application) => [
    ...Array.from({ length: SHARED }, (_, index) => ({
      application,
      name: `${application.toUpperCase()}_${index}`,
    })),
    ...ENVIRONMENTS.map((name) => ({
      application,
      name: `ONLY_IN_${application}_${name}`.toUpperCase(),
    })),
  ]).map((each, index) => ({
    ...aRecord({ id: index + 1, ...each }),
    type: TYPES[index % TYPES.length] as Type,
  }));
  const values = environments
    .flatMap((environment) =>
      variables
        .filter(({ application }) => application === environment.application)
        .filter(
          ({ name }) =>
            !name.startsWith("ONLY_") || name.endsWith(`_${environment.name.toUpperCase()}`),
        )
        .map((variable) => ({
          environment_id: environment.id,
          variable_id: variable.id,
          type: variable.type,
        })),
    )
    .map(({ type, ...each }, index) => ({
      id: index + 1,
      ...each,
      content: { value: contentOf(type, index) },
    }));
  return { version: 1, environments, variables, values };
}

const TYPES = ["STRING", "JSON", "NUMBER", "STRING"] as const;
type Type = (typeof TYPES)[number];

function contentOf(type: Type, index: number) {
  const text = canary("value", index);
  if (type === "NUMBER") return Number.parseInt(text.slice(0, 12), 16);
  return type === "JSON" ? { list: [text] } : text;
}

/** The texts that must stay secret: secrets of environments, and markers in values. */
export function canariesOf({ environments, values }: Data): string[] {
  const texts = values.map(({ content: { value } }) =>
    typeof value === "object" ? ((value as { list: string[] }).list[0] as string) : String(value),
  );
  return [...environments.map(({ api_secret }) => api_secret), ...texts];
}
