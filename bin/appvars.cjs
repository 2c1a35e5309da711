#!/usr/bin/env node
// CommonJS, since Node loads it sooner, and a script that calls `appvars get` often feels that.
const { start } = require("../dist/cli/start.cjs");

// When nothing is left to wait for, Node ends with 0, even if the command is not done.
const onUnfinished = () => {
  // Not from the start on: commander takes it for the exit code of its help.
  process.exitCode = 1;
  process.stderr.write("appvars: ended before the command was finished; please report this\n");
};
process.once("beforeExit", onUnfinished);

const keepCompiled = () => {
  const { enableCompileCache } = require("node:module");
  if (enableCompileCache) require("../dist/cli/compile-cache.cjs").keepCompiled(enableCompileCache);
};

start(process.argv.slice(2), keepCompiled).then((code) => {
  process.off("beforeExit", onUnfinished);
  process.exitCode = code;
});
