// node --require report-usage.cjs PROGRAM: writes to descriptor 3 what the process has used when it ends.
const { writeSync } = require("node:fs");

process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));
