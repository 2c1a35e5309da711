import { defineConfig } from "rolldown";

/**
 * Node's own modules without what `import` adds to them: it reads each of their exports at once, and those of `process`
 * and `crypto` that are getters open streams and load more, which is a tenth of the time of a one-shot command.
 */
const builtins = {
  name: "builtins",
  resolveId: { filter: { id: /^node:(?!module)/ }, handler: (id) => `\0${id}.cjs` },
  load: {
    filter: { id: /^\0node:/ },
    handler: (id) => `module.exports = process.getBuiltinModule("${id.slice(1, -4)}");`,
  },
};

/**
 * The start of the command line as one file, in the place of the one that tsc has made. Only what a one-shot `get`
 * needs is in it; everything else, and packages that only some calls need, stays where it is.
 */
export default defineConfig({
  input: "dist/cli/start.js",
  platform: "node",
  plugins: [builtins],
  external: ["./main.js", "./open-source.js", "chalk", "commander"],
  output: { file: "dist/cli/start.js", format: "esm", codeSplitting: false },
});
