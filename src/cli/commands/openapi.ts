import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { type Context, printRaw } from "../output/context.js";

/** Both are in the package; the build makes the JSON from the YAML. */
const FILES = { json: "dist/openapi.json", yaml: "data/openapi.yaml" };

export function openapiCommand(context: Context, packageFile: (path: string) => URL): Command {
  return new Command("openapi")
    .description(
      "Print the OpenAPI 3.1 document of the HTTP API. Contacts no server and reads no data.",
    )
    .addOption(
      new Option("--format <format>", "JSON or YAML").choices(["json", "yaml"]).default("json"),
    )
    .addHelpText("after", "\nExample:\n  appvars openapi --format yaml > openapi.yaml")
    .action(({ format }: { format: keyof typeof FILES }) => {
      printRaw(context, { text: readFileSync(packageFile(FILES[format]), "utf8") });
    });
}
