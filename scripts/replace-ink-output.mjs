import { fileURLToPath } from "node:url";

const OUTPUT = fileURLToPath(new URL("../src/tui/terminal/ink-output.ts", import.meta.url));

/** A plugin for Rolldown and Vitest: replaces ink's Output, which is too slow for a screen of 200x60. */
export function replaceInkOutput() {
  return {
    name: "replace-ink-output",
    enforce: "pre",
    resolveId(specifier, importer = "") {
      return specifier === "./output.js" && /[\\/]node_modules[\\/]ink[\\/]/.test(importer) ? OUTPUT : undefined;
    },
  };
}
