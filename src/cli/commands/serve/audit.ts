import { defineCommand } from "../../arguments/command.js";
import { LOCATION_FLAGS } from "../../arguments/data-flags.js";
import { parseTime } from "../../arguments/flag-arguments.js";
import { printTable } from "../../output/output.js";

export const definition = defineCommand({
  description: `List the values that clients have read,
    according to the audit log of a server, and that are still
    the same: what to replace when somebody leaves. A client is
    a named key; without a name, it is the key of the
    environment. The history of the data tells whether a value
    has changed since.`,
  arguments: { "<file...>": "the audit log, and rotated parts of it" },
  flags: {
    "--since <time>": {
      help: "only reads since a date such as 2026-01-31, or in the last 90s, 30m, 24h, 7d",
      parse: (text: string, clock: () => number) => parseTime(text, clock(), -1),
    },
    "--client <name>": "only reads with the named key of this name",
    ...LOCATION_FLAGS,
  },
  examples: ["appvars audit audit.log --since 2026-01-31 --client ana --data vars.json"],
  async run({ file: files }, { since = Number.NEGATIVE_INFINITY, client, ...flags }, context) {
    const { auditReads } = await import("../../../tasks/data/audit-reads.js");
    const json = await auditReads(files, { since, client }, await context.location(flags), context);
    await printTable(context, {
      json,
      headings: ["ENVIRONMENT", "CLIENT", "NAME", "READS", "LAST READ"],
      rows: json.map(({ environment, client, name, reads, last_read }) => {
        return [environment, client, name, String(reads), last_read];
      }),
      empty: "no value that was read is still the same",
    });
  },
});
