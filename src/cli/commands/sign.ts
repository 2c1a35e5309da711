import { Command } from "commander";
import { checkCredential } from "../../client/options.js";
import { UsageError } from "../../kit/text/errors.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import { missingSecretError } from "../../tasks/settings/secret-files.js";
import { API_SECRET_FILE } from "../arguments/source-flags.js";
import { type Context, printLines } from "../output/context.js";

export function signCommand(context: Context): Command {
  return new Command("sign")
    .description(
      "Print the value of the Authorization header for one request, valid for a few minutes.",
    )
    .argument("<method>", "GET or HEAD")
    .argument("<path>", "path and query, exactly as they are sent")
    .option(...API_SECRET_FILE)
    .addHelpText(
      "after",
      '\nExample:\n  curl -H "x-api-key: $APPVARS_API_KEY" \\\n' +
        '    -H "Authorization: $(appvars sign GET /v1/variables?limit=2)" "$APPVARS_URL/v1/variables?limit=2"',
    )
    .action(async (method: string, path: string, flags) => {
      const apiSecret = await readSettings(flags, context).apiSecret();
      checkCredential("API secret", apiSecret);
      await runSign(method, path, apiSecret, context);
    });
}

async function runSign(
  method: string,
  path: string,
  apiSecret: string | undefined,
  context: Context,
): Promise<void> {
  if (!/^[A-Za-z]+$/.test(method)) throw new UsageError("the method must be a word such as GET");
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes("#")) {
    throw new UsageError(
      "the path must begin with a slash and be percent-encoded, as in /v1/variables?limit=2",
    );
  }
  if (apiSecret === undefined) throw missingSecretError();
  const { sign } = await import("../../signing/sign.js");
  const authorization = sign(
    { timestamp: context.surroundings.clock(), method, route: path },
    apiSecret,
  );
  printLines(context, { json: { authorization }, lines: [authorization] });
}
