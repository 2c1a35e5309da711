import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";
import { collectLicenses } from "./scripts/collect-licenses.mjs";
import { replaceInkOutput } from "./scripts/replace-ink-output.mjs";

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
    plugins: [
      leaveApart(
        "cli/main",
        "cli/answer-get",
        "cli/sources/open-cached",
        "cli/sources/open-local",
        "cli/processes/child-lookup",
        "cli/completion/found-in-file",
        "domain/reserved-names",
      ),
    ],
    external: ["chalk", "commander", "string-width"],
    output: { file: "dist/cli/start.cjs", format: "cjs", codeSplitting: false },
  },
  /** The TUI with ink and React, which load in 110 ms from one file instead of 600 ms from many. */
  {
    input: "src/tui/run-tui.tsx",
    platform: "node",
    resolve,
    plugins: [keepDomain(), replaceInkOutput(), leaveOut("react-devtools-core"), collectLicenses("LICENSES.md")],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    output: { dir: "dist/tui", entryFileNames: "[name].js", format: "esm", codeSplitting: false },
  },
]);

/** Leaves the domain out of the bundle: the TUI and its sources must share the error classes. */
function keepDomain() {
  return {
    name: "keep-domain",
    resolveId(specifier) {
      const [, file] = /^(?:\.\.\/)+(domain\/.+\.js)$/.exec(specifier) ?? [];
      return file && { id: `../${file}`, external: "relative" };
    },
  };
}

/** Leaves dynamic imports out of the bundle, which then loads these source files from dist/. @param files paths in src/ without extension */
function leaveApart(...files) {
  const sources = fileURLToPath(new URL("src/", import.meta.url));
  return {
    name: "leave-apart",
    resolveId(specifier, importer = "", { kind } = {}) {
      if (kind !== "dynamic-import") return undefined;
      const path = join(dirname(importer), specifier).replace(/\.js$/, "");
      const file = files.find((each) => path === join(sources, each));
      return file && { id: join(sources, `${file}.js`), external: "relative" };
    },
  };
}

/** A package that ink loads only for debugging, and that is not installed. */
function leaveOut(name) {
  return {
    name: "leave-out",
    resolveId: (specifier) => (specifier === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? "export default {};" : undefined),
  };
}
