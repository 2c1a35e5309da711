import { readdirSync, readFileSync } from "node:fs";
import { checkSync } from "recheck";
import { parseSync, Visitor } from "rolldown/utils";
import { describe, expect, it } from "vitest";

// Recheck also comes as a program.
process.env["RECHECK_BACKEND"] = "pure";

/** Parts of the expressions that are not checked, and why. */
const UNCHECKED: Record<string, string> = {
  "-----BEGIN CERTIFICATE-----":
    "it takes recheck 2 s; an attempt to match ends at the next hyphen",
  "@BRANCHES@": "it reads a file of the package",
};

/** The modules that put expressions together. Their parts are constants, or checked elsewhere. */
const BUILDERS: Record<string, string> = {
  "model/name-matcher.ts":
    "globs, whose stars are followed by a lookahead that prevents to go back",
  "kit/text/printable.ts": "constants",
  "store/bytes/file-sealing.ts": "constants",
  "store/schema/data-rules.ts": "constants",
  "server/api/routes.ts": "the routes",
  "tui/widgets/text-field.ts": "constants",
};

interface Expression {
  readonly pattern: string;
  readonly flags: string;
}

/** The literals in a module, and whether it also puts expressions together. */
function expressionsOf(file: string): { literals: Expression[]; isBuilder: boolean } {
  const literals: Expression[] = [];
  let isBuilder = false;
  new Visitor({
    Literal(node) {
      if ("regex" in node) literals.push(node.regex);
    },
    NewExpression({ callee }) {
      isBuilder ||= callee.type === "Identifier" && callee.name === "RegExp";
    },
  }).visit(parseSync(file, readFileSync(file, "utf8")).program);
  return { literals, isBuilder };
}

function patternsOf(schema: unknown): Expression[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own =
    "pattern" in schema && typeof schema.pattern === "string"
      ? [{ pattern: schema.pattern, flags: "u" }]
      : [];
  return [...own, ...Object.values(schema).flatMap(patternsOf)];
}

const modules = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, ...expressionsOf(`src/${file}`) }));
const inSources = modules.flatMap(({ literals }) => literals);
const inSchemas = readdirSync("data")
  .filter((file) => file.endsWith(".schema.json"))
  .flatMap((file) => patternsOf(JSON.parse(readFileSync(`data/${file}`, "utf8"))));

/** Without a repetition that has no limit, the time is linear. */
function repeats(pattern: string): boolean {
  return /[*+]|,\}/.test(pattern.replace(/\\.|\[(?:\\.|[^\]])*\]/g, ""));
}

const FUZZING = {
  checker: "fuzz",
  randomSeed: 1,
  maxIteration: 2,
  maxGenerationSize: 20,
  recallTimeout: 10_000,
} as const;

/** The end of a text that takes more than linear time; undefined if there is none. */
function attackOn({ pattern, flags }: Expression): string | undefined {
  // Large limits take long to prove; without them, there are only more texts.
  const wider = pattern.replace(/\{\d+,(?:\d{2,})?\}/g, "+");
  // The automaton proves it, but knows neither look-around nor back-references.
  let result = checkSync(wider, flags, { checker: "automaton", timeout: 60_000 });
  if (result.status === "unknown") result = checkSync(wider, flags, FUZZING);
  if (result.status === "safe") return undefined;
  return result.status === "vulnerable" ? result.attack.pattern : "not known";
}

describe("a regular expression", () => {
  const all = new Map(
    [...inSources, ...inSchemas].map((each) => [`/${each.pattern}/${each.flags}`, each]),
  );
  const checked = [...all].filter(
    ([text, { pattern }]) =>
      repeats(pattern) && !Object.keys(UNCHECKED).some((part) => text.includes(part)),
  );

  it.each(checked)("takes linear time for any text: %s", (_text, expression) => {
    expect(attackOn(expression)).toBeUndefined();
  });

  it("is not checked only if it still exists", () => {
    for (const part of Object.keys(UNCHECKED))
      expect([...all.keys()].filter((text) => text.includes(part))).toHaveLength(1);
  });

  it("is put together in known modules only", () => {
    const builders = modules.flatMap(({ file, isBuilder }) => (isBuilder ? [file] : []));
    expect(builders.sort()).toEqual(Object.keys(BUILDERS).sort());
  });
});

it("the check finds the expressions that were slow", () => {
  const attacks = [/0+$/, /^[ \t]+|[ \t]+$/g, /['"`]\s*(#.*)?$/].map(({ source, flags }) =>
    attackOn({ pattern: source, flags }),
  );
  for (const attack of attacks) expect(attack).toContain(".repeat(");
});
