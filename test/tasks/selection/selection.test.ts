import { describe, expect, it } from "vitest";
import { createSelection } from "../../../src/tasks/selection/selection.js";
import type { SelectionOptions } from "../../../src/tasks/selection/selection-options.js";
import { aCaller } from "../../support/caller.js";

const NAMES = ["DB_URL", "DB_PASSWORD", "PORT", "a.b", "a-b", "_x"];

/** The new names by the old ones. */
async function selected(
  options: SelectionOptions,
  names = NAMES,
  notes: string[] = [],
): Promise<Record<string, string>> {
  const selection = createSelection(options, aCaller({}, { note: (text) => notes.push(text) }));
  return Object.fromEntries(selection.rename(await selection.select(names, async () => NAMES)));
}

const namesOf = async (options: SelectionOptions) => Object.keys(await selected(options));

describe("--only and --exclude", () => {
  it.each([
    [{}, NAMES],
    [{ only: ["PORT", "DB_*"] }, ["DB_URL", "DB_PASSWORD", "PORT"]],
    [{ only: ["DB_*"], exclude: ["*PASS*"] }, ["DB_URL"]],
    [{ exclude: ["DB_URL", "a?b"] }, ["DB_PASSWORD", "PORT", "_x"]],
    [{ only: ["*"] }, NAMES],
    [{ only: ["**"] }, NAMES],
    [{ only: ["a.*"] }, ["a.b"]],
    [{ only: ["?.[b]"] }, ["a.b"]],
    [{ only: ["[aP]*"] }, ["PORT", "a.b", "a-b"]],
    [{ only: ["[!aP_]*"] }, ["DB_URL", "DB_PASSWORD"]],
    [{ only: ["[^aP_]*"] }, ["DB_URL", "DB_PASSWORD"]],
    [{ only: ["[B-Q]?_*"] }, ["DB_URL", "DB_PASSWORD"]],
    [{ only: ["PORT"], exclude: ["PORT"] }, []],
    [{ only: ["D*_*R*"] }, ["DB_URL", "DB_PASSWORD"]],
    [{ only: ["*_x", "P*RT*"] }, ["PORT", "_x"]],
  ])("%o", async (options, expected) => {
    expect(await namesOf(options)).toEqual(expected);
  });

  it("takes no longer than a name is long", async () => {
    const names = ["a".repeat(250), `${"a".repeat(250)}b`];
    expect(Object.keys(await selected({ only: [`${"*a".repeat(60)}*b`] }, names))).toEqual([
      names[1],
    ]);
  });

  it.each([
    [["PROT"], 'there is no variable "PROT" (did you mean PORT?)'],
    [["db_*", "PORT"], "db_* matches no variable in this environment"],
    // Not as in a shell or a regular expression.
    [["{PORT,a.b}*"], 'there is no variable "{PORT,a.b}*"'],
    [["(PORT|a.b)*"], 'there is no variable "(PORT|a.b)*"'],
    [["!(PORT)"], 'there is no variable "!(PORT)" (did you mean PORT?)'],
    [
      ["[z-a]*", "[P"],
      "[z-a]* matches no variable in this environment; [P matches no variable in this environment",
    ],
    [["^*"], "^* matches no variable in this environment"],
    [["!PORT*"], "!PORT* matches no variable in this environment"],
    [
      ["Z*", "PROT"],
      'there is no variable "PROT" (did you mean PORT?); Z* matches no variable in this environment',
    ],
  ])("--only %j is not found", async (only, message) => {
    await expect(selected({ only })).rejects.toMatchObject({ code: "not_found", message });
  });

  it("--exclude may match nothing, which is noted once", async () => {
    const notes: string[] = [];
    const selection = createSelection(
      { exclude: ["X", "Y*", "PORT"] },
      aCaller({}, { note: (text, repeat) => notes.push(`${text}, ${repeat}`) }),
    );
    await selection.select(NAMES, async () => NAMES);
    expect(notes).toEqual([]);
    selection.noteUnmatched(NAMES);
    expect(notes).toEqual([
      "--exclude X matches no variable, once",
      "--exclude Y* matches no variable, once",
    ]);
  });
});

describe("--name-transformer", () => {
  it.each([
    ["upper", ["DB_URL", "API_V2_KEY", "DATABASEURL", "_X_", "A.B-C"]],
    ["lower", ["db_url", "api_v2_key", "databaseurl", "_x_", "a.b-c"]],
    [
      "tf-var",
      ["TF_VAR_db_url", "TF_VAR_api_v2_key", "TF_VAR_databaseurl", "TF_VAR__x_", "TF_VAR_a.b-c"],
    ],
  ] as const)("%s", async (nameTransformer, expected) => {
    const names = ["DB_URL", "API_V2_KEY", "databaseUrl", "_x_", "a.b-c"];
    expect(Object.values(await selected({ nameTransformer }, names))).toEqual(expected);
  });

  it("two variables with the same new name are an error, unless one of them is excluded", async () => {
    const names = ["A_B", "a_b", "C", "c"];
    await expect(selected({ nameTransformer: "lower" }, names)).rejects.toMatchObject({
      code: "usage",
      message:
        "--name-transformer gives the same name to A_B and a_b (a_b), C and c (c): choose with --only or --exclude",
    });
    expect(await selected({ nameTransformer: "lower", exclude: ["a_b", "c"] }, names)).toEqual({
      A_B: "a_b",
      C: "c",
    });
  });
});
