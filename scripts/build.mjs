/**
 * Builds dist/, the bundled package, and build/, the compiled modules one by one for tests and
 * benchmarks. With --if-changed, only if they are not of the current sources: `npm cit` builds
 * once. dist/.build has the hashes of inputs and outputs. Changes that are made by hand in
 * node_modules/ are not noticed. A failed build changes nothing.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const RECORD = "dist/.build";
const OUTPUTS = ["dist", "build"];
/**
 * The folder that holds the outputs until all of them are built. node_modules/ can be on another
 * volume, so that a rename from there would fail.
 */
const STAGING = ".build";
const INPUTS = [
  "src",
  "data/openapi.yaml",
  "data/reserved-names.json",
  "scripts",
  "rolldown.config.js",
  "tsconfig.json",
  "tsconfig.build.json",
  "package.json",
  "package-lock.json",
  // The installed packages.
  "node_modules/.package-lock.json",
];

const inputs = hash(INPUTS);
if (!process.argv.includes("--if-changed") || readRecord() !== recordOf(inputs)) build();

function build() {
  rmSync(STAGING, { recursive: true, force: true });
  mkdirSync(STAGING, { recursive: true });
  const env = { ...process.env, BUILD_FOLDER: STAGING };
  for (const command of [
    `tsc -p tsconfig.build.json --outDir ${STAGING}/build`,
    "rolldown --config --log-level silent",
    "node scripts/add-library.mjs",
    "node scripts/add-openapi.mjs",
  ]) {
    // Rolldown lists its many files at every log level; its errors are on stderr.
    const output = command.startsWith("rolldown") ? "ignore" : "inherit";
    const { status } = spawnSync(command, {
      shell: true,
      stdio: ["inherit", output, "inherit"],
      env,
    });
    if (status !== 0) process.exit(status || 1);
  }
  for (const folder of OUTPUTS) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(STAGING, folder), folder);
  }
  rmSync(STAGING, { recursive: true });
  // The hash was taken before the build: a file that was saved meanwhile may not be in it.
  writeFileSync(RECORD, recordOf(inputs));
}

function readRecord() {
  return existsSync(RECORD) ? readFileSync(RECORD, "utf8") : undefined;
}

function recordOf(inputs) {
  return `${inputs} ${hash(OUTPUTS)}\n`;
}

/** A hash of the names and contents of files, those in folders too. */
function hash(paths) {
  const sum = createHash("sha256");
  for (const path of paths.filter(existsSync).flatMap(filesIn)) {
    if (path === join(RECORD)) continue;
    const content = readFileSync(path);
    sum.update(`${path}\n${content.length}\n`).update(content);
  }
  return sum.digest("hex");
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
