import { UsageError } from "../../../domain/errors.js";
import type { Writer } from "../../../formats/entry.js";
import { DOTENV_WRITERS, type DotenvReader } from "../../../formats/formats.js";
import type { Context } from "../../output/context.js";

/** The writer for one reader of `.env` files; without one, for all, with a warning about values that some change. */
export async function dotenvWriter(reader: DotenvReader | undefined, context: Context): Promise<Writer> {
  if (reader) return DOTENV_WRITERS[reader]();
  const { writeForMost } = await import("../../../formats/dotenv.js");
  return (entries) => {
    const { text, differing } = writeForMost(entries);
    const named = differing.map(({ name, readers }) => `${name} (${readers.join(", ")})`);
    if (named.length > 0) {
      context.warn(
        `some programs read other values than dotenv does: ${named.join(", ")}; --for writes for one program`,
      );
    }
    return text;
  };
}

/** @throws UsageError */
export function checkReader(reader: DotenvReader | undefined, format: string): void {
  if (reader && format !== "dotenv") throw new UsageError(`--for is for --format dotenv, not ${format}`);
}
