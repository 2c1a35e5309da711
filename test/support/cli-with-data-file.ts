import { beforeEach } from "vitest";
import { runCli } from "./cli.js";
import { DATA } from "./data.js";
import { dataFile } from "./data-file.js";

/**
 * A command line whose settings name shop/development of a data file, which is new for each test.
 */
export function cliWithDataFile() {
  const cli = {
    path: "",
    env: {} as Record<string, string>,
    run: (argv: string[], stdin: string | Buffer = "") => runCli(argv, { env: cli.env, stdin }),
    get: async (name: string) => (await cli.run(["get", name])).stdout,
  };
  beforeEach(async () => {
    cli.path = (await dataFile(DATA)).path;
    cli.env = { APPVARS_DATA: cli.path, APPVARS_ENV: "shop/development" };
  });
  return cli;
}
