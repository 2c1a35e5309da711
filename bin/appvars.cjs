#!/usr/bin/env node
// CommonJS, since Node loads it sooner, and a script that calls `appvars get` often feels that.
const { enableCompileCache } = require("node:module");
const { start } = require("../dist/cli/start.cjs");

// Node 22.1 and newer can keep compiled code between runs.
start(process.argv.slice(2), enableCompileCache).then((code) => {
  process.exitCode = code;
});
