/**
 * Adds the library to dist/, for `import "appvars"`: an ES module, and the types that it refers to.
 */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(new URL("../", import.meta.url)), process.env.BUILD_FOLDER ?? "");
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+)"/g;

writeFileSync(join(root, "dist/index.js"), 'export * from "./cli/index.cjs";\n');
copyTypes("index.d.ts");

/** @param path relative to build/ */
function copyTypes(path, copied = new Set()) {
  if (copied.has(path)) return;
  copied.add(path);
  cpSync(join(root, "build", path), join(root, "dist", path));
  for (const [, specifier] of readFileSync(join(root, "build", path), "utf8").matchAll(SPECIFIER)) {
    copyTypes(join(dirname(path), specifier).replace(/\.js$/, ".d.ts"), copied);
  }
}
