import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
/** Folders of tests that `npm test` does not run, and of their shared helpers. */
const OTHERS = /^(abuse|bench|durability|e2e|scaling|support)\//;

/**
 * Code that measures time, or waits for it. A clock that is passed in, `() => performance.now()`,
 * does neither.
 */
const TIME = [
  /(?<!\(\) => )performance\.now\(\)/,
  /\b(cpuUsage|hrtime|resourceUsage)\b/,
  /import \{[^}]*\bsetTimeout\b[^}]*\} from "node:timers\/promises"/,
  /setTimeout\((resolve|done)\b/,
];

it("npm test starts no program", () => {
  expect(() => spawn("true")).toThrow("npm test starts no programs");
});

it("npm test measures no time", () => {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path) && path !== "in-process.test.ts" && !OTHERS.test(path),
  );
  expect(paths.length).toBeGreaterThan(200);
  const measuring = paths.filter((path) => {
    const text = readFileSync(`${FOLDER}${path}`, "utf8");
    return TIME.some((pattern) => pattern.test(text));
  });
  expect(measuring).toEqual([]);
});
