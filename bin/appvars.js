#!/usr/bin/env node
import module from "node:module";

// Node 22.1 and newer keep the compiled code between runs.
module.enableCompileCache?.();
const { main } = await import("../dist/cli/main.js");
const { processIo } = await import("../dist/cli/process-io.js");
process.exitCode = await main(process.argv.slice(2), processIo());
