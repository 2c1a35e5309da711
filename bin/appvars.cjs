#!/usr/bin/env node
// CommonJS, since Node loads it sooner, and a script that calls `appvars get` often feels that.
const argv = process.argv.slice(2);
// These load little: to check the folder of the cache would take longer than it saves.
if (!["get", "__complete"].includes(argv[0]))
  require("../dist/cli/compile-cache.cjs").keepCompiled(require("node:module").enableCompileCache);
// Of the build, where start.cjs would only load this file.
const { start } = require("../dist/cli/core.cjs");

// When nothing is left to wait for, Node ends with 0, even if the command is not done.
const onUnfinished = () => {
  // Not from the start on: commander takes it for the exit code of its help.
  process.exitCode = 1;
  process.stderr.write("appvars: ended before the command was finished; please report this\n");
};
process.once("beforeExit", onUnfinished);

start(argv).then((code) => {
  process.off("beforeExit", onUnfinished);
  process.exitCode = code;
});
