import { fileURLToPath } from "node:url";
import { type Finished, run } from "../support/binary.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const REDOCLY = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));

/** Runs Redocly's command line to its end, with nothing sent or kept: what it is given is all that it works with. */
export async function redocly(...args: string[]): Promise<Finished> {
  return run(process.execPath, [REDOCLY, ...args], {
    HOME: await temporaryFolder(),
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
}
