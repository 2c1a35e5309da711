import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { writeTypescript } from "../../../src/formats/typescript.js";
import { fileWith } from "../../formats/consumers.js";
import { run } from "../../support/binary.js";
import { aVariable } from "../../support/records.js";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

const USES = `
const level: "debug" | "info" | undefined = process.env.LOG_LEVEL;
const port: string = process.env.PORT;
const variables = {} as Variables;
const typed: [number, boolean, JsonValue, 1 | 2 | undefined] = [
  variables.PORT, variables.DEBUG, variables["a.b"], variables.LEVEL,
];
const read: { value: JsonValue } = JSON.parse("{}");
const known = read.value as Variables["PORT"];
console.log(level, known, port, typed, process.env.TZ, process.env.DEBUG === "true", process.env.OTHER);
`;

it.each(["env.d.ts", "env.ts"])(
  "tsc reads the declaration as %s, and finds mistakes with it",
  async (name) => {
    const schema = { enum: ["debug", "info"] };
    const odd = [
      "new",
      "get",
      "constructor",
      "toString",
      "__proto__",
      "readonly",
      "NODE_ENV",
      "TZ",
      "A-B",
    ];
    const declaration = writeTypescript([
      aVariable({ name: "PORT", type: "NUMBER", description: "ends */ here\n" }),
      aVariable({ name: "DEBUG", type: "BOOLEAN" }),
      aVariable({ name: "a.b", type: "JSON" }),
      { ...aVariable({ name: "LOG_LEVEL" }), optional: true, schema },
      { ...aVariable({ name: "LEVEL", type: "NUMBER" }), optional: true, schema: { enum: [1, 2] } },
      {
        ...aVariable({ name: "CHOICE", type: "JSON" }),
        schema: { enum: [{ a: [1] }, null, "\u202e"] },
      },
      ...odd.map((each) => aVariable({ name: each })),
    ]);
    const folder = dirname(await fileWith(name, declaration));
    const types = `import type { JsonValue, Variables } from "./${name.replace(/(\.d)?\.ts$/, ".js")}";\n`;
    await writeFile(join(folder, "package.json"), '{"type": "module"}');
    await writeFile(join(folder, "good.ts"), types + USES);
    await writeFile(
      join(folder, "bad.ts"),
      `${types}export const port: string = ({} as Variables).PORT;\n`,
    );
    const strict = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--noUnusedLocals",
    ];
    const node = [
      "--typeRoots",
      join(MODULES, "@types"),
      "--types",
      "node",
      "--module",
      "nodenext",
    ];
    const tsc = [join(MODULES, "typescript/bin/tsc"), ...strict, ...node];
    const good = await run(process.execPath, [...tsc, join(folder, name), join(folder, "good.ts")]);
    expect(good).toMatchObject({ code: 0, stdout: "" });
    const { code, stdout } = await run(process.execPath, [...tsc, join(folder, "bad.ts")]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("Type 'number' is not assignable to type 'string'"),
    ]);
  },
);
