import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { UsageError } from "../../../kit/text/errors.js";
import { appendTarget, openToAppend } from "../../../tasks/files/write-private-file.js";
import { redactedLines } from "../../../tasks/run/redacted-texts.js";
import type { Written } from "../../../tasks/transfer/format-values.js";
import type { Context } from "../../output/context.js";
import { type Output, writeRaw } from "../../output/output.js";

/**
 * Returns the file that GitHub's runner reads variables from.
 *
 * @throws UsageError if there is none, or if the masks on stdout would go to
 *   this file or be lost
 */
export function findGithubFile(output: string | undefined, { io, surroundings }: Context): string {
  if (output === "-")
    throw new UsageError("--format github needs stdout for the masks: --output must be a file");
  const path = output ?? surroundings.env["GITHUB_ENV"] ?? "";
  if (path === "")
    throw new UsageError(
      "--format github appends to the file that GITHUB_ENV names, which is not set: " +
        "run it in a step of GitHub Actions, or add --output FILE",
    );
  if (leadsTo(io.stdout, path)) {
    const advice = output === undefined ? 'omit >> "$GITHUB_ENV"' : `do not redirect to ${path}`;
    throw new UsageError(
      `--format github appends to ${path} itself and prints masks for the log: ${advice}`,
    );
  }
  if (isDiscarded(io.stdout))
    throw new UsageError(
      "--format github prints masks to stdout for the log, " +
        "and stdout is closed or a null device: do not redirect it",
    );
  appendTarget(path, surroundings);
  return path;
}

function leadsTo({ fd }: Output, path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  if (fd === undefined || !file) return false;
  const { dev, ino } = fstatSync(fd);
  return dev === file.dev && ino === file.ino;
}

/** Node opens the null device in place of a closed stdout. */
function isDiscarded({ fd, isTTY }: Output): boolean {
  if (fd === undefined || isTTY) return false;
  const stats = fstatSync(fd);
  return stats.isCharacterDevice() && stats.rdev === statSync(devNull).rdev;
}

/** Makes the runner mask the values in its log, and only then appends the lines. */
export async function writeGithubFile(
  path: string,
  { entries, text: lines }: Written,
  { io, surroundings, note }: Context,
): Promise<void> {
  const { texts, tooShort } = redactedLines(entries);
  if (tooShort.length > 0)
    note(`not masked, the values or all their lines are too short: ${tooShort.join(", ")}`);
  const masks = texts.map((text) => `::add-mask::${escapeData(text)}\n`).join("");
  // Opened first: values that can't be written need no masks.
  const file = openToAppend(path, surroundings);
  try {
    await new Promise<void>((resolve) => writeRaw(io.stdout, masks, resolve));
    file.append(lines);
  } finally {
    file.close();
  }
}

/**
 * Escapes text as GitHub's toolkit does (actions/toolkit,
 * packages/core/src/command.ts).
 */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
