import { fileURLToPath } from "node:url";
import { type Finished, run } from "../support/binary.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const REDOCLY = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));

/** Runs Redocly's command line, without telemetry and with an empty home. */
export async function redocly(...args: string[]): Promise<Finished> {
  return run(process.execPath, [REDOCLY, ...args], {
    HOME: await temporaryFolder(),
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
}
