import { fileURLToPath } from "node:url";

/** Modules of ink, and what takes their place. */
const REPLACED = { "./output.js": "ink-output.ts", "./measure-text.js": "ink-measure.ts" };

/**
 * A plugin for Rolldown and Vitest: replaces what is too slow for a screen of 200x60, or keeps
 * values.
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
