import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.js";

it("a line that does not fit into a file does not become the start of the next one", async () => {
  const path = join(await temporaryFolder(), "log");
  const fd = openSync(path, "a");
  onTestFinished(() => closeSync(fd));
  // A file size limit, as a full disk, makes the system take a part of a write. Node ignores its
  // signal.
  const script = `
    const { LogWriter } = await import("${new URL("../../../../build/cli/output/log-writer.js", import.meta.url)}");
    const writer = new LogWriter({ fd: 1 }, (count) => "dropped " + count);
    for (let count = 1; count <= 20; count++) if (!writer.drops()) writer.writeSoon(count + "x".repeat(98));
    writer.written().then(() => process.stderr.write("full"));
    setInterval(() => {}, 1_000);`;
  const argv = [
    "-c",
    'ulimit -f 2 && exec "$0" "$@"',
    process.execPath,
    "--input-type=module",
    "-e",
    script,
  ];
  const child = spawn("sh", argv, { stdio: ["ignore", fd, "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = await once(child.stderr ?? child, "data");
  expect(String(said)).toBe("full");
  const text = () => readFile(path, "utf8");
  expect(await text()).toHaveLength(1_024);
  const whole = (await text()).split("\n").length - 1;
  ftruncateSync(fd, 150);
  await expect.poll(text, { timeout: 15_000 }).toMatch(/\n\d+x+\ndropped \d+\n$/);
  expect(await text()).toMatch(new RegExp(`dropped ${20 - whole}\n$`));
});
