/** The size of `src` in characters without indentation, as budgets count it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));

/** Every file of `src`, with the number of its lines, and of the bytes without indentation. */
const FILES = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => {
    const text = readFileSync(path, "utf8").replace(/^[ \t]+/gm, "");
    const lines = text.split("\n").length - 1;
    return { path: path.slice(SOURCES.length), lines, size: Buffer.byteLength(text) };
  });

/** Characters of the files in a folder of `src`, or of all, without the terminal interface. */
export function charactersOf(folder = "") {
  return sum(
    FILES.filter(({ path }) => (folder ? path.startsWith(folder) : !path.startsWith("tui/"))),
    "size",
  );
}

/** The mean length of a line of `src`. */
export function meanLineLength() {
  return sum(FILES, "size") / sum(FILES, "lines");
}

function sum(files, field) {
  return files.reduce((total, file) => total + file[field], 0);
}
