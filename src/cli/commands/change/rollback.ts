import { createInterface } from "node:readline";
import { endBySignal } from "../../../kit/process/signals.js";
import { UsageError } from "../../../kit/text/errors.js";
import { readHistory, updateData } from "../../../tasks/data/open-data.js";
import { defineCommand } from "../../arguments/command.js";
import { DRY_RUN, LOCATION_FLAGS } from "../../arguments/data-flags.js";
import { requireValid } from "../../arguments/flag-arguments.js";
import { ONLY } from "../../arguments/selection-flags.js";
import type { Context } from "../../output/context.js";
import { writeRaw } from "../../output/output.js";
import { printChanges } from "../../output/print-changes.js";

export const definition = defineCommand({
  description: `Restore values and definitions as they were
    before a change, all or nothing. This is a new change, which
    rollback can undo too. Shows what it would change, and asks;
    without a terminal, add --yes. Credentials are not restored:
    an environment that was removed gets new ones.`,
  arguments: {
    "<number>": {
      help: "number of the change in history",
      parse: (text: string) =>
        requireValid(Number(text), /^[1-9]\d{0,14}$/.test(text), "the number of a change"),
    },
  },
  flags: {
    ...ONLY,
    "-e, --env <name>": "only the values in this environment",
    "--values": "show the values too",
    "--yes": "don't ask",
    "--broken": "roll back even if values then break their schemas",
    ...DRY_RUN,
    ...LOCATION_FLAGS,
  },
  examples: ["appvars rollback 42 --only DATABASE_URL --env production --data vars.json"],
  async run(
    { number },
    { only, env, values: showValues = false, yes, broken = false, ...flags },
    context,
  ) {
    const { planRollBack } = await import("../../../store/edits/roll-back.js");
    const location = await context.location(flags);
    const plan = await readHistory(location, context, (history) =>
      planRollBack(history, number, { only, env, showValues }),
    );
    await printChanges(plan.rows, showValues, context, "there is nothing to restore");
    if (!broken) await plan.refuseBroken("; to do it anyway, add --broken");
    if (plan.rows.length === 0 || context.preview) return;
    const question = `restore this as it was before change ${number}?`;
    if (!yes && !(await confirm(question, context)))
      throw new UsageError("nothing was changed; to do it, add --yes");
    await updateData(location, context, plan.edit, { mayBreakSchemas: broken });
    context.tell(`restored what was there before change ${number}`);
  },
});

/**
 * Asks on the terminal; `false` without one. Ctrl-C ends this process, and
 * Ctrl-D is a no.
 */
async function confirm(question: string, { io }: Context): Promise<boolean> {
  const { stdin: input, stderr: output } = io;
  if (!input.isTTY || !output.isTTY) return false;
  const readline = createInterface({ input, output });
  const answer = await new Promise<string | undefined>((resolve) => {
    readline.on("close", () => resolve("")).on("SIGINT", () => resolve(undefined));
    readline.question(`${question} [y/N] `, resolve);
  });
  readline.close();
  if (!answer) writeRaw(output, "\n");
  if (answer === undefined) endBySignal("SIGINT");
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}
