import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../../support/cli.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

it("init creates a file that only its owner can read, and prints the credentials of development", async () => {
  const path = join(await temporaryFolder(), "vars.json");
  const { code, stdout } = await runCli(["init", "--data", path]);
  const [development] = JSON.parse(await readFile(path, "utf8")).environments;
  expect(code).toBe(0);
  expect(stdout).toBe(
    `export APPVARS_API_KEY=${development.api_key}\nexport APPVARS_API_SECRET=${development.api_secret}\n`,
  );
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("init prints lines for PowerShell on Windows, and for a POSIX shell in Git Bash there", async () => {
  const init = async (env: Record<string, string>) => {
    const path = join(await temporaryFolder(), "vars.json");
    const { stdout, stderr } = await runCli(["init", "--data", path], { platform: "win32", env });
    const [{ api_key, api_secret }] = JSON.parse(await readFile(path, "utf8")).environments;
    return { stdout: stdout.replace(api_key, "KEY").replace(api_secret, "SECRET"), stderr };
  };
  const { stdout, stderr } = await init({});
  expect(stdout).toBe("$env:APPVARS_API_KEY = 'KEY'\n$env:APPVARS_API_SECRET = 'SECRET'\n");
  expect(stderr).toContain("readable by whoever can read its folder");
  expect((await init({ MSYSTEM: "MINGW64" })).stdout).toMatch(/^export APPVARS_API_KEY=KEY\n/);
});

it("init creates three environments whose variables can be read", async () => {
  const path = join(await temporaryFolder(), "vars.json");
  await runCli(["init"], { env: { APPVARS_DATA: path } });
  for (const name of ["development", "test", "production"]) {
    const { code, stdout } = await runCli(["get", "DATABASE_URL", "--data", path, "--env", name]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^postgres:/)]);
  }
});

it("init keeps an existing file, and exits with 8", async () => {
  const path = join(await temporaryFolder(), "vars.json");
  await writeFile(path, "precious");
  const { code, stdout } = await runCli(["init", "--data", path]);
  expect([code, stdout, await readFile(path, "utf8")]).toEqual([8, "", "precious"]);
});
