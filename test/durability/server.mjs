// Serves a data file on a free port until it is killed: node server.mjs PATH. It prints the port.
import { serve } from "../../dist/index.js";

const { port } = await serve({ data: process.argv[2], port: 0, rateLimit: 0 });
process.stdout.write(`${port}\n`);
