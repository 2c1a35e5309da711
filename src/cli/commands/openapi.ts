import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { type Context, printRaw } from "../output/context.js";

export function openapiCommand(context: Context, packageFile: (path: string) => URL): Command {
  return new Command("openapi")
    .description(
      "Print the OpenAPI 3.1 document of the HTTP API. Contacts no server and reads no data.",
    )
    .addOption(
      new Option("--format <format>", "JSON or YAML").choices(["json", "yaml"]).default("json"),
    )
    .addHelpText("after", "\nExample:\n  appvars openapi --format yaml > openapi.yaml")
    .action(({ format }) => runOpenapi(format, packageFile("data/openapi.yaml"), context));
}

/** Expands the anchors and merges of the file, which not every reader of OpenAPI knows. */
async function runOpenapi(format: "json" | "yaml", file: URL, context: Context): Promise<void> {
  const { parse, stringify } = await import("yaml");
  const document = parse(readFileSync(file, "utf8"), { merge: true, maxAliasCount: -1 });
  const options = { aliasDuplicateObjects: false, blockQuote: "literal", lineWidth: 0 } as const;
  const text =
    format === "json" ? `${JSON.stringify(document, null, 2)}\n` : stringify(document, options);
  printRaw(context, { text });
}
