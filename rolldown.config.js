import { defineConfig } from "rolldown";

/**
 * The start of the command line as one file, in the place of the one that tsc has made. Only what a one-shot `get`
 * needs is in it; everything else, and packages that only some calls need, stays where it is.
 */
export default defineConfig({
  input: "dist/cli/start.js",
  platform: "node",
  external: ["./main.js", "./open-source.js", "chalk", "commander"],
  output: { file: "dist/cli/start.js", format: "esm", codeSplitting: false },
});
