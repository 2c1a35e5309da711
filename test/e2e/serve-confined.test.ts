import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chown } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "../docs/documents.js";
import { BINARY } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { get } from "../support/http.js";
import { serveProcess } from "../support/serve-process.js";

const NOBODY = 65_534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/**
 * The restrictions of Containerfile: process 1, as nobody without a home and without capabilities,
 * where nothing can be written. As under docs/systemd, /proc shows processes only.
 */
const CONFINED = `
cut -d " " -f 5 /proc/self/mountinfo | while read -r place; do mount -o remount,bind,ro "$place" 2>/dev/null; done
mount -t proc -o subset=pid proc /proc
cd / && unset HOME
exec ${AS_NOBODY.join(" ")} --no-new-privs --bounding-set=-all "$@"`;
const THROUGH = [
  "unshare",
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
  "sh",
  "-c",
  CONFINED,
  "sh",
];

const canConfine =
  spawnSync("unshare", [
    "--mount",
    "--pid",
    "--fork",
    "mount",
    "-t",
    "proc",
    "-o",
    "subset=pid",
    "proc",
    "/proc",
  ]).status === 0 &&
  // Not if the project or Node.js is in root's home.
  spawnSync(AS_NOBODY[0] as string, [
    ...AS_NOBODY.slice(1),
    ...["sh", "-c", 'test -r "$0" && "$1" --version', BINARY, process.execPath],
  ]).status === 0;

it.skipIf(!canConfine)(
  "a server runs as nobody and process 1 on a read-only file system",
  async () => {
    const { path } = await dataFile(DATA);
    for (const owned of [dirname(path), path]) await chown(owned, NOBODY, NOBODY);
    const server = await serveProcess(imageArguments(path), { through: THROUGH });
    expect(await get(server, "/v1/variables/1")).toMatchObject({
      status: 200,
      json: { name: "DATABASE_URL" },
    });
    const [first = 0] = childrenOf(server.pid);
    expect(readFileSync(`/proc/${first}/status`, "utf8")).toMatch(/^NSpid:\s\d+\s1$/m);

    process.kill(first, "SIGTERM");
    expect(await server.ended).toBe(0);
  },
);

/** The arguments of `serve` in Containerfile, for another data file and without other machines. */
function imageArguments(dataPath: string): string[] {
  const [, command = ""] =
    /^CMD (.*)$/m.exec(readFileSync(join(REPOSITORY, "Containerfile"), "utf8")) ?? [];
  const [name, ...args]: string[] = JSON.parse(command);
  expect(name).toBe("serve");
  const here: Record<string, string> = {
    "/data/appvars.data.json": dataPath,
    "0.0.0.0": "127.0.0.1",
  };
  return args.map((arg) => here[arg] ?? arg);
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
}
