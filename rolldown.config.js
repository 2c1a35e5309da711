import { defineConfig } from "rolldown";

/**
 * The start of the command line as one CommonJS file. Only what a one-shot `get` needs is in it; everything else, and
 * packages that only some calls need, stays where it is.
 */
export default defineConfig({
  input: "src/cli/start.ts",
  platform: "node",
  resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
  external: ["./main.js", "./open-source.js", "./found-in-file.js", "chalk", "commander"],
  output: { file: "dist/cli/start.cjs", format: "cjs", codeSplitting: false },
});
