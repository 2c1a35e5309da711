import { expect, it } from "vitest";
import { explainTooLarge } from "../../../src/cli/processes/too-large.js";

const env = { SMALL: "x", KEY: "é".repeat(50_000), OTHER: "secret" };

it("names the variable that is over Linux's limit for one", () => {
  expect(explainTooLarge(["app"], { ...env, CERT: "x".repeat(131_072) }, "linux")).toBe(
    "app can't be started: the variable CERT has 131078 bytes; Linux limits each variable and argument to 131072 bytes",
  );
});

it("blames an argument that is over Linux's limit, without its text", () => {
  expect(explainTooLarge(["app", "x".repeat(131_072)], env, "linux")).toBe(
    "app can't be started: one of its arguments is too long; Linux limits each variable and argument to 131072 bytes",
  );
});

it.each(["linux", "darwin"] as const)("names the largest variable when all together are too long on %s", (platform) => {
  const rest = platform === "linux" ? {} : { CERT: "x".repeat(131_072) };
  const [name, size, total] = platform === "linux" ? ["KEY", 100_005, 100_026] : ["CERT", 131_078, 231_104];
  expect(explainTooLarge(["app", "-v"], { ...env, ...rest }, platform)).toBe(
    `app can't be started: its environment (${total} bytes) and arguments (7 bytes) are too long together; ` +
      `the largest variable is ${name} with ${size} bytes`,
  );
});
