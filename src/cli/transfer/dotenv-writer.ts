import { UsageError } from "../../domain/errors.js";
import type { Writer } from "../../formats/entry.js";
import { DOTENV_WRITERS, type DotenvTarget } from "../../formats/formats.js";
import type { Context } from "../output/context.js";

/** The writer for one program that reads `.env` files; without one, for all, with a warning about values that some change. */
export async function dotenvWriter(target: DotenvTarget | undefined, context: Pick<Context, "warn">): Promise<Writer> {
  if (target) return DOTENV_WRITERS[target]();
  const { writeForMost } = await import("../../formats/dotenv.js");
  return (entries) => {
    const { text, differing } = writeForMost(entries);
    const named = differing.map(({ name, readers }) => `${name} (${readers.join(", ")})`);
    if (named.length > 0) {
      context.warn(
        `some programs read these differently from the dotenv package: ${named.join(", ")}; --for writes for one program`,
      );
    }
    return text;
  };
}

/** @throws UsageError */
export function checkTarget(target: DotenvTarget | undefined, format: string): void {
  if (target && format !== "dotenv") throw new UsageError(`--for is for --format dotenv, not ${format}`);
}
