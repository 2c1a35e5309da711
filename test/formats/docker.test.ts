import { expect, it } from "vitest";
import { writeDocker } from "../../src/formats/lines.js";
import { asText, expectAllRefused, expectSame, refusal, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const { held, refused } = table(
  (text) => !/[\0\n]|\r$/.test(text) && !hasLoneSurrogate(text) && Buffer.byteLength(text) < 65_000,
);

/** The rules of docker/cli's pkg/kvfile, with Go's bufio.ScanLines and its limit. */
function readEnvFile(bytes: Buffer): Record<string, string> {
  const variables: Record<string, string> = {};
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf("\n", start);
    const end = newline === -1 ? bytes.length : newline;
    if (end - start >= 65_536) throw new Error("bufio.Scanner: token too long");
    const line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes.subarray(start, end))
      .replace(/\r$/, "")
      .replace(start === 0 ? /^\ufeff/ : /^(?!)/, "")
      .replace(/^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, "");
    start = end + 1;
    if (line === "" || line.startsWith("#")) continue;
    const equals = line.indexOf("=");
    if (equals < 1 || /[ \t]/.test(line.slice(0, equals))) throw new Error("bad variable name");
    variables[line.slice(0, equals)] = line.slice(equals + 1);
  }
  return variables;
}

it("docker's rules preserve every value", () => {
  expectSame(readEnvFile(Buffer.from(writeDocker(held))), asText(held));
});

it("newlines, a carriage return at the end, NUL and broken surrogate pairs are refused", () => {
  expectAllRefused(writeDocker, refused, held);
  expect(refusal(writeDocker, entriesOf(["a\nb", "a\r"]))).toBe(
    "these can't be written as docker: V0 (its value contains a newline, and docker reads line by line), " +
      "V1 (its value ends with a carriage return, which docker drops)",
  );
});

it("a line for docker may have up to 64 KiB", () => {
  const longest = entriesOf(["é".repeat((65_535 - 3 - 1) / 2), "x".repeat(65_535 - 3)]).map(
    (e) => ({ ...e }),
  );
  expect(Object.keys(readEnvFile(Buffer.from(writeDocker(longest))))).toHaveLength(2);
  expect(refusal(writeDocker, entriesOf(["x".repeat(65_535 - 2)]))).toContain(
    "V0 (its line is longer than docker's limit",
  );
});

it("docker accepts names with dots and hyphens", () => {
  const entry = { name: "discovery.type-x", type: "STRING" as const, value: "single-node" };
  expect(writeDocker([entry])).toBe("discovery.type-x=single-node\n");
});
