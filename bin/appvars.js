#!/usr/bin/env node
import module from "node:module";

// Node 22.1 and newer keep the compiled code between runs.
module.enableCompileCache?.();
const { start } = await import("../dist/cli/start.js");
process.exitCode = await start(process.argv.slice(2));
