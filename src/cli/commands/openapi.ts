import { Command, Option } from "commander";
import type { Context } from "../context.js";
import { packageVersion } from "../package-version.js";

export interface OpenapiOptions {
  format: "json" | "yaml";
}

export function openapiCommand(context: Context): Command {
  return new Command("openapi")
    .summary("print the OpenAPI document of the API")
    .description("Print the OpenAPI 3.1 document of the HTTP API. Asks no server and reads no data.")
    .addOption(new Option("--format <format>", "what to print").choices(["json", "yaml"]).default("json"))
    .addHelpText("after", "\nExample:\n  appvars openapi --format yaml > openapi.yaml")
    .action((options: OpenapiOptions) => runOpenapi(options, context));
}

export async function runOpenapi({ format }: OpenapiOptions, context: Context): Promise<void> {
  const { openapiDocument } = await import("../../openapi/document.js");
  const document = openapiDocument(packageVersion());
  if (format === "json") return context.print(`${JSON.stringify(document, null, 2)}\n`);
  const { stringify } = await import("yaml");
  context.print(stringify(document, { aliasDuplicateObjects: false, blockQuote: "literal", lineWidth: 0 }));
}
