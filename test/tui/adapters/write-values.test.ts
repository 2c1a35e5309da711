import { expect, test } from "vitest";
import type { NamedValue } from "../../../src/model/variable.js";
import { writeValues } from "../../../src/tui/adapters/import-export.js";

const VALUES: readonly NamedValue[] = [
  { name: "PATH", type: "STRING", value: "/bin" },
  { name: "PORT", type: "NUMBER", value: "envbee:enc:v1:3000" },
];
const decrypt = (_name: string, value: NamedValue["value"]) =>
  String(value).replace("envbee:enc:v1:", "");
const options = { decrypt, allowReserved: false };

test("values are written as export writes them, decrypted and without names that would take effect", async () => {
  const written = { text: "PORT=3000\n", leftOut: ["PATH"], note: "omitted reserved names: PATH" };
  expect(await writeValues("dotenv", VALUES, options)).toEqual(written);
  expect(await writeValues("json", VALUES, options)).toMatchObject({
    text: '{\n  "PATH": "/bin",\n  "PORT": 3000\n}\n',
  });
  const all = { text: "PATH=/bin\nPORT=3000\n", leftOut: [] };
  expect(await writeValues("dotenv", VALUES, { ...options, allowReserved: true })).toEqual(all);
});

test("writing is refused if all values are left out", async () => {
  const write = writeValues("shell", VALUES.slice(0, 1), options);
  await expect(write).rejects.toThrow("reserved names are left out of shell: PATH");
});

test("a value that a format can't represent is refused", async () => {
  const values: NamedValue[] = [{ name: "KEY", type: "STRING", value: "a\0b" }];
  await expect(writeValues("dotenv", values, options)).rejects.toThrow(
    /KEY \(its value contains a NUL\)/,
  );
});
