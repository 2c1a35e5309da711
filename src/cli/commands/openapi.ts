import { Command, Option } from "commander";
import type { Context } from "../output/context.js";
import { printRaw } from "../output/printer.js";

export function openapiCommand(context: Context, version: string): Command {
  return new Command("openapi")
    .summary("print the OpenAPI document of the API")
    .description("Print the OpenAPI 3.1 document of the HTTP API. Contacts no server and reads no data.")
    .addOption(new Option("--format <format>", "JSON or YAML").choices(["json", "yaml"]).default("json"))
    .addHelpText("after", "\nExample:\n  appvars openapi --format yaml > openapi.yaml")
    .action(({ format }) => runOpenapi(format, version, context));
}

async function runOpenapi(format: "json" | "yaml", version: string, context: Context): Promise<void> {
  const { openapiDocument } = await import("../../openapi/document.js");
  const document = openapiDocument(version);
  if (format === "json") return printRaw(context, { text: `${JSON.stringify(document, null, 2)}\n` });
  const { stringify } = await import("yaml");
  const options = { aliasDuplicateObjects: false, blockQuote: "literal", lineWidth: 0 } as const;
  printRaw(context, { text: stringify(document, options) });
}
