import { fileURLToPath } from "node:url";

/** Modules of ink, and the files that replace them. */
const REPLACED = { "./output.js": "ink-output.ts", "./measure-text.js": "ink-measure.ts" };

/**
 * A plugin for Rolldown and Vitest. It replaces modules of ink that are too slow for a screen of
 * 200x60, or that keep values in memory.
 */
export function replaceInkOutput() {
  return {
    name: "replace-ink-output",
    enforce: "pre",
    resolveId(specifier, importer = "") {
      const file = /[\\/]node_modules[\\/]ink[\\/]/.test(importer) && REPLACED[specifier];
      return file
        ? fileURLToPath(new URL(`../src/tui/terminal/${file}`, import.meta.url))
        : undefined;
    },
  };
}
