import { readFileSync } from "node:fs";
import { packageFile } from "../../../kit/files/package-file.js";
import { defineCommand } from "../../arguments/command.js";
import { printRaw } from "../../output/output.js";

/** Both are in the package; the build makes the JSON from the YAML. */
const FILES = { json: "dist/openapi.json", yaml: "data/openapi.yaml" };

export const definition = defineCommand({
  description: `Print the OpenAPI 3.1 document of the HTTP API.
    Contacts no server and reads no data.`,
  flags: {
    "--format <format>": {
      help: "JSON or YAML",
      choices: ["json", "yaml"],
      default: "json",
    },
  },
  examples: ["appvars openapi --format yaml > openapi.yaml"],
  run(_, { format }, context) {
    printRaw(context, { text: readFileSync(packageFile(FILES[format]), "utf8") });
  },
});
