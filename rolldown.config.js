import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";
import { collectLicenses } from "./scripts/collect-licenses.mjs";

const resolve = { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } };

export default defineConfig([
  /**
   * The start of the command line as one CommonJS file. Only what a one-shot `get` needs is in it; everything else, and
   * packages that only some calls need, stays where it is.
   */
  {
    input: "src/cli/start.ts",
    platform: "node",
    resolve,
    external: ["./main.js", "./open-source.js", "./found-in-file.js", "chalk", "commander"],
    output: { file: "dist/cli/start.cjs", format: "cjs", codeSplitting: false },
  },
  /** The TUI with ink and React: file for file they take 600 ms to load, in one file 110. */
  {
    input: "src/tui/run-tui.tsx",
    platform: "node",
    resolve,
    plugins: [keepDomain(), replaceInInk(), leaveOut("react-devtools-core"), collectLicenses("LICENSES.md")],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    output: { dir: "dist/tui", entryFileNames: "[name].js", format: "esm", codeSplitting: false },
  },
]);

/** Leaves the domain where it is: an error has to be of the same class in the TUI and in what it reads from. */
function keepDomain() {
  return {
    name: "keep-domain",
    resolveId(specifier) {
      const [, file] = /^(?:\.\.\/)+(domain\/.+\.js)$/.exec(specifier) ?? [];
      return file && { id: `../${file}`, external: "relative" };
    },
  };
}

/** What of ink is too slow for a screen of 200x60: src/tui/ink/ has it in another way. */
function replaceInInk() {
  return {
    name: "replace-in-ink",
    resolveId(specifier, importer = "") {
      const isOutput = specifier === "./output.js" && importer.includes("/node_modules/ink/");
      return isOutput ? fileURLToPath(new URL("src/tui/ink/output.ts", import.meta.url)) : undefined;
    },
  };
}

/** A package that is only loaded where somebody debugs ink, and is not installed. */
function leaveOut(name) {
  return {
    name: "leave-out",
    resolveId: (specifier) => (specifier === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? "export default {};" : undefined),
  };
}
