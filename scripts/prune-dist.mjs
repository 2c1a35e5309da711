/**
 * Removes files from dist/ that no user of the package needs. What stays is the code that the command line or
 * `import "appvars"` loads, and the types of the latter.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+)"/g;

// Required by the licenses of bundled packages, but not loaded by any code.
const needed = new Set([join(dist, "tui/LICENSES.md")]);
follow(join(dist, "index.js"), (path) => path);
follow(join(dist, "cli/start.cjs"), (path) => path);
// Loaded as a thread, and as a process.
follow(join(dist, "store/parse-worker.js"), (path) => path);
follow(join(dist, "cli/serving/worker-process.js"), (path) => path);
follow(join(dist, "index.d.ts"), (path) => path.replace(/\.js$/, ".d.ts"));

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !needed.has(path)) rmSync(path);
}

/** @param toFile maps the resolved path of a specifier to its file */
function follow(path, toFile) {
  if (needed.has(path)) return;
  needed.add(path);
  for (const [, specifier] of read(path).matchAll(SPECIFIER)) follow(toFile(join(dirname(path), specifier)), toFile);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new Error(`${relative(dist, path)} is imported, but was not built`);
  }
}
