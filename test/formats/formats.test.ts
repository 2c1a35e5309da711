import { expect, it } from "vitest";
import type { NamedValue } from "../../src/domain/variable.js";
import { EXPORT_FORMATS, IMPORT_FORMATS, WRITERS } from "../../src/formats/formats.js";
import { refusal } from "./consumers.js";

it("the formats are those of the command line", () => {
  const text = ["dotenv", "shell", "fish", "json", "yaml", "docker", "properties", "tfvars", "github"];
  expect(EXPORT_FORMATS).toEqual([...text, "kubernetes", "compose", "systemd", "powershell"]);
  expect(IMPORT_FORMATS).toEqual(["dotenv", "json", "yaml"]);
});

it.each(EXPORT_FORMATS)("%s refuses invalid names, which it would write unquoted", async (format) => {
  const write = await WRITERS[format]();
  const names = ["X; touch pwned", "A\nB", "", "1A", "é", "A=B", "a b", "N".repeat(256)];
  const message = refusal(
    write,
    [...names, "OK"].map((name) => ({ name, type: "STRING", value: "x" })),
  );
  expect(message).toBe(`these can't be written as ${format}: ${names.join(", ")} (not a variable name)`);
});

it.each(EXPORT_FORMATS)("%s never quotes a value in its errors", async (format) => {
  const write = await WRITERS[format]();
  const values = ["topsecret\0", "topsecret\n\r", "topsecret\ud800", "topsecret'\"`#\r", "topsecrete\u0301"];
  const entries: NamedValue[] = values.map((value, index) => ({ name: `V${index}`, type: "STRING", value }));
  expect(refusal(write, [...entries, { name: "1", type: "STRING", value: "topsecret" }])).not.toContain("topsecret");
});
