#!/usr/bin/env node
// CommonJS, since Node loads it sooner, and a script that calls `appvars get` often feels that.
const { enableCompileCache } = require("node:module");

// Node 22.1 and newer keep the compiled code between runs.
enableCompileCache?.();
const { start } = require("../dist/cli/start.cjs");
start(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
