import { Option } from "commander";
import { describe, expect, it } from "vitest";
import { ownWords } from "../../src/cli/output/errors.js";
import { separateCommand } from "../../src/cli/program.js";

const OPTIONS = [new Option("--json"), new Option("-o, --only <names>"), new Option("--watch")];

function separated(line: string): string {
  return separateCommand(line.split(" "), OPTIONS).join(" ");
}

describe("separateCommand", () => {
  it.each([
    ["run ls --json", "run -- ls --json"],
    ["run --json ls --json", "run --json -- ls --json"],
    ["--json run --only A ls --only B", "--json run --only A -- ls --only B"],
    ["run --only=A ls -o x", "run --only=A -- ls -o x"],
    ["run -o A --watch ls", "run -o A --watch -- ls"],
    ["run ls -- --json", "run -- ls -- --json"],
    ["sandbox ls --watch", "sandbox -- ls --watch"],
  ])("makes of %s: %s", (line, expected) => {
    expect(separated(line)).toBe(expected);
  });

  it.each(["run --only A -- ls --json", "run", "run --json", "run --only", "get run --json", "--json"])(
    "leaves %s as it is",
    (line) => {
      expect(separated(line)).toBe(line);
    },
  );
});

describe("ownWords", () => {
  it("ends at the first --", () => {
    expect(ownWords(["run", "--json", "--", "ls", "--quiet", "--", "x"])).toEqual(["run", "--json"]);
    expect(ownWords(["get", "A"])).toEqual(["get", "A"]);
  });
});
