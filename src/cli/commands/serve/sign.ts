import { UsageError } from "../../../kit/text/errors.js";
import { checkCredential } from "../../../model/server-options.js";
import { missingSecretError } from "../../../tasks/settings/secret-files.js";
import { defineCommand } from "../../arguments/command.js";
import { API_SECRET_FILE } from "../../arguments/source-flags.js";
import { printLines } from "../../output/output.js";

export const definition = defineCommand({
  description: `Print the value of the Authorization header for
    one request, valid for a few minutes.`,
  arguments: {
    "<method>": "GET or HEAD",
    "<path>": "path and query, exactly as they are sent",
  },
  flags: API_SECRET_FILE,
  examples: [
    'curl -H "x-api-key: $APPVARS_API_KEY" \\\n' +
      '    -H "Authorization: $(appvars sign GET /v1/variables?limit=2)" "$APPVARS_URL/v1/variables?limit=2"',
  ],
  async run({ method, path }, flags, context) {
    const apiSecret = await (await context.settings(flags)).secret("apiSecret");
    checkCredential("API secret", apiSecret);
    if (!/^[A-Za-z]+$/.test(method)) throw new UsageError("the method must be a word such as GET");
    if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes("#"))
      throw new UsageError(
        "the path must begin with a slash and be percent-encoded, as in /v1/variables?limit=2",
      );
    if (apiSecret === undefined) throw missingSecretError();
    const { sign } = await import("../../../signing/sign.js");
    const timestamp = context.surroundings.clock();
    const authorization = sign({ timestamp, method, route: path }, apiSecret);
    printLines(context, { json: { authorization }, lines: [authorization] });
  },
});
