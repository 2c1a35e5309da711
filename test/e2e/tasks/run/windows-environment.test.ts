import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";

it("run --preserve-env keeps a variable of another case on Windows", async () => {
  const { path } = await dataFile(DATA);
  const script =
    "console.log(Object.keys(process.env).filter((name) => /^port$/i.test(name)).join())";
  const line = [
    "run",
    "--preserve-env",
    "--redact",
    "--only",
    "PORT",
    "--data",
    path,
    "--env",
    "shop/development",
  ];
  const run = (platform: NodeJS.Platform) =>
    runCli([...line, "--", process.execPath, "--eval", script], { platform, env: { Port: "9" } });
  expect(await run("win32")).toMatchObject({ code: 0, stdout: "Port\n" });
  expect(await run("linux")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^(Port,PORT|PORT,Port)\n$/),
  });
});

it("run -f finds a variable of another case on Windows, and the last file wins", async () => {
  const { path } = await dataFile(DATA);
  const files = ["port=4000\n", "Port=5000\n"].map(
    (text, index) => [`${path}.${index}`, text] as const,
  );
  for (const [file, text] of files) await writeFile(file, text);
  const flags = [
    ...files.flatMap(([file]) => ["-f", file]),
    "--data",
    path,
    "--env",
    "shop/development",
  ];
  const script =
    "console.log(Object.entries(process.env).filter(([name]) => /^port$/i.test(name)).join())";
  const run = [
    "run",
    "--redact",
    "--only",
    "PORT",
    ...flags,
    "--",
    process.execPath,
    "--eval",
    script,
  ];
  expect(await runCli(run, { platform: "win32" })).toMatchObject({ code: 0, stdout: "Port,***\n" });
});
