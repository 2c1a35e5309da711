import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  ENVIRONMENT_FORMATS,
  EXPORT_FORMATS,
  IMPORT_FORMATS,
  WRITERS,
} from "../../src/formats/formats.js";
import type { NamedValue } from "../../src/model/variable.js";
import { refusal } from "./consumers.js";

it("the formats are those of the command line", () => {
  const text = ["dotenv", "shell", "fish", "json", "yaml", "docker", "tfvars", "github"];
  expect(EXPORT_FORMATS).toEqual([...text, "kubernetes", "compose", "systemd", "powershell"]);
  expect(IMPORT_FORMATS).toEqual(["dotenv", "json", "yaml"]);
});

it("every format leaves reserved names out, but for those that are data", () => {
  const data = ["json", "yaml", "tfvars"];
  expect(ENVIRONMENT_FORMATS).toEqual(EXPORT_FORMATS.filter((format) => !data.includes(format)));
  const rows = readFileSync("docs/commands.md", "utf8").matchAll(
    /^\| (`.*`) \| .* \| (left out|kept) \|$/gm,
  );
  const documented = Object.fromEntries(
    [...rows].flatMap(([, names = "", rule]) =>
      names.split(", ").map((name) => [name.replaceAll("`", ""), rule]),
    ),
  );
  for (const format of EXPORT_FORMATS)
    expect(documented[format], format).toBe(data.includes(format) ? "kept" : "left out");
});

it.each(EXPORT_FORMATS)(
  "%s refuses invalid names, which it would write unquoted",
  async (format) => {
    const write = await WRITERS[format]();
    const names = ["X; touch pwned", "A\nB", "", "1A", "é", "A=B", "a b", "N".repeat(256)];
    const message = refusal(
      write,
      [...names, "OK"].map((name) => ({ name, type: "STRING", value: "x" })),
    );
    expect(message).toBe(
      `these can't be written as ${format}: ${names.join(", ")} (not a variable name)`,
    );
  },
);

it.each(EXPORT_FORMATS)("%s never quotes a value in its errors", async (format) => {
  const write = await WRITERS[format]();
  const values = [
    "topsecret\0",
    "topsecret\n\r",
    "topsecret\ud800",
    "topsecret'\"`#\r",
    "topsecrete\u0301",
  ];
  const entries: NamedValue[] = values.map((value, index) => ({
    name: `V${index}`,
    type: "STRING",
    value,
  }));
  expect(
    refusal(write, [...entries, { name: "1", type: "STRING", value: "topsecret" }]),
  ).not.toContain("topsecret");
});
