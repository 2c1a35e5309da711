import { expect, test } from "vitest";
import { writeValues } from "../../../src/cli/tui/write-values.js";
import type { NamedValue } from "../../../src/domain/variable.js";

const VALUES: readonly NamedValue[] = [
  { name: "PATH", type: "STRING", value: "/bin" },
  { name: "PORT", type: "NUMBER", value: "envbee:enc:v1:3000" },
];
const decrypt = (_name: string, value: NamedValue["value"]) => String(value).replace("envbee:enc:v1:", "");

test("values are written as export writes them, decrypted, without names that take effect", async () => {
  const written = { text: "PORT=3000\n", note: "without the reserved PATH" };
  expect(await writeValues("dotenv", VALUES, decrypt)).toEqual(written);
  expect(await writeValues("json", VALUES, decrypt)).toEqual({ text: '{\n  "PATH": "/bin",\n  "PORT": 3000\n}\n' });
});

test("what a format can't hold is refused", async () => {
  const values: NamedValue[] = [{ name: "KEY", type: "STRING", value: "a\0b" }];
  await expect(writeValues("dotenv", values, decrypt)).rejects.toThrow(/KEY \(its value contains a NUL\)/);
});
