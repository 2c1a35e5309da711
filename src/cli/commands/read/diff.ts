import { statIfExists } from "../../../kit/files/system-errors.js";
import { UsageError } from "../../../kit/text/errors.js";
import type { Difference } from "../../../model/diff-values.js";
import { valueText } from "../../../model/variable.js";
import { compareSources } from "../../../tasks/sources/compare-sources.js";
import { createDecrypt, leaveEncrypted } from "../../../tasks/sources/decryption.js";
import { defineCommand } from "../../arguments/command.js";
import { SOURCE_FLAGS } from "../../arguments/source-flags.js";
import type { Context } from "../../output/context.js";
import { print, printLines } from "../../output/output.js";

const EXAMPLE = "appvars diff test production --data vars.json";

export const definition = defineCommand({
  description: `Show the changes of variables from A to B. Each
    is the name of an environment of the data file or store;
    FILE:ENVIRONMENT; the URL of a store, then :ENVIRONMENT; or
    the URL of a server, with the configured credentials. Hides
    values without --values. Prints a data file alone by names,
    as git's textconv.`,
  arguments: {
    "<a>": "the old side, or a data file alone",
    "[b]": "the new side",
  },
  flags: {
    "--values": "show the values too",
    "--missing": "only variables that have a value on one side alone",
    "--exit-code": "exit with 1 if there is a difference",
    ...SOURCE_FLAGS,
  },
  examples: [EXAMPLE],
  async run({ a: before, b: after }, flags, context) {
    const isFile =
      after === undefined && Object.keys(flags).length === 0 && statIfExists(before)?.isFile();
    if (isFile) {
      const { dataByNames } = await import("../../../tasks/data/data-by-names.js");
      const lines = await dataByNames(before, context.surroundings);
      return printLines(context, { json: lines, lines });
    }
    if (after === undefined)
      throw new UsageError(`missing required argument 'b'; for example: ${EXAMPLE}`);
    const settings = await context.settings(flags);
    const isDecrypted = flags.values || !flags.missing;
    const decrypt = isDecrypted ? await createDecrypt(settings) : leaveEncrypted;
    const all = await compareSources([before, after], settings, decrypt, context);
    const differences = flags.missing ? all.filter(({ kind }) => kind !== "changed") : all;
    await printDifferences(differences, flags.values === true, context);
    if (flags.exitCode && differences.length > 0) context.exitCode = 1;
  },
});

const SIGNS = { added: "+", removed: "-", changed: "~" };

async function printDifferences(
  differences: readonly Difference[],
  showValues: boolean,
  context: Context,
): Promise<void> {
  await print(context, {
    json: differences.map(({ kind, name, before, after }) => {
      const types = { type_before: before?.type, type_after: after?.type };
      const values = showValues && { before: before?.value, after: after?.value };
      return { kind, name, ...types, ...values };
    }),
    rows: differences.map(({ kind, name, before, after }) => {
      const values = showValues ? [before, after] : [];
      return [kind, name, ...values.map((item) => (item ? valueText(item.value) : ""))];
    }),
    lines: ({ green, red, yellow }) => {
      const styles = { added: green, removed: red, changed: yellow };
      return differences.map((difference) => {
        return { text: line(difference, showValues), style: styles[difference.kind] };
      });
    },
  });
}

/** `~ NAME  old -> new` for a person. */
function line({ kind, name, before, after }: Difference, showValues: boolean): string {
  const types =
    before && after && before.type !== after.type ? ` (${before.type} -> ${after.type})` : "";
  const shown = [before, after].flatMap((item) => (item ? [valueText(item.value)] : []));
  return `${SIGNS[kind]} ${name}${types}${showValues ? `  ${shown.join(" -> ")}` : ""}`;
}
