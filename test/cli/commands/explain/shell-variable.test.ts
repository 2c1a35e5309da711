import { expect, it } from "vitest";
import { describeShellVariable, shellVariable } from "../../../../src/cli/commands/explain/shell-variable.js";

it.each([
  ["X", { value: 1 }, {}, { set: false, run: "sets" }, "not set; run sets it"],
  ["X", { value: 1 }, { X: "1" }, { set: true, same: true, run: "sets" }, "set to the same value; run leaves that"],
  [
    "X",
    { value: 1 },
    { X: "" },
    { set: true, same: false, run: "replaces" },
    "set to another value; run replaces it, unless --preserve-env",
  ],
  ["X", { value: "" }, { X: "" }, { set: true, same: true, run: "sets" }, "set to the same value; run leaves that"],
  ["X", undefined, { X: "1" }, { set: true, run: "leaves" }, "set; run does not touch it"],
  ["X", undefined, {}, { set: false, run: "leaves" }, "not set; run does not touch it"],
  [
    "PATH",
    { value: "/a" },
    { PATH: "/b" },
    { set: true, same: false, run: "leaves" },
    "set to another value; run leaves it out, unless --allow-reserved names it",
  ],
  [
    "X",
    "undecrypted" as const,
    { X: "1" },
    { set: true, run: "fails" },
    "set; run fails: it has no key that decrypts the value",
  ],
  ["__proto__", { value: "x" }, {}, { set: false, run: "sets" }, "not set; run sets it"],
  ["toString", { value: "x" }, {}, { set: false, run: "sets" }, "not set; run sets it"],
])("%s with %o in %o", (name, value, env: Record<string, string>, expected, text) => {
  const variable = shellVariable(name, value, env);
  expect(variable).toEqual({ same: undefined, ...expected });
  expect(describeShellVariable(name, variable)).toBe(text);
});
