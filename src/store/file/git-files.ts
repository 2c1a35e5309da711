import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { AppendFile } from "../../kit/files/append-file.js";
import { readRegularFile } from "../../kit/files/read-file.js";
import { withName } from "../../kit/files/system-errors.js";

/** The largest `.gitignore` or `.gitattributes`, in bytes. */
const MAX_GIT_FILE = 1_048_576;

/**
 * Adds the lines that git needs for a data file to the files in its folder.
 *
 * @param from the imported file, with secrets in plain text: ignored if it is
 *   in this folder or below
 */
export async function writeGitFiles(path: string, from = "-"): Promise<void> {
  const folder = dirname(path);
  const name = gitPattern(basename(path));
  const imported = relative(folder, from);
  const isInside = from !== "-" && imported.split(sep)[0] !== ".." && !isAbsolute(imported);
  const ignored = ["key", "lock", "history.jsonl"].map((end) => `/${name}.${end}`);
  ignored.push(`/.${name}.*.tmp`);
  if (isInside) ignored.push(`/${gitPattern(imported)}`);
  const attributes = `/${name} text eol=lf merge=appvars diff=appvars`;
  await addLines(join(folder, ".gitattributes"), [attributes]);
  await addLines(join(folder, ".gitignore"), ignored);
}

/**
 * A git pattern for the path, with `?` for each byte that may have a meaning in
 * patterns.
 */
function gitPattern(path: string): string {
  return Buffer.from(path.replaceAll(sep, "/"))
    .toString("latin1")
    .replace(/[^\w./-]/g, "?");
}

async function addLines(path: string, lines: readonly string[]): Promise<void> {
  // In a shared folder, the file may be another user's. Links are not followed.
  const file = new AppendFile(path, { user: undefined, groups: [] }, 0o666);
  file.open();
  try {
    const { bytes } = await readRegularFile(path, MAX_GIT_FILE, { followLinks: false });
    const present = new Set(bytes.toString().split(/\r?\n/));
    const missing = lines.filter((line) => !present.has(line) && !present.has(line.slice(1)));
    if (missing.length > 0) file.append(`${missing.join("\n")}\n`);
  } catch (error) {
    throw withName(path, error);
  } finally {
    file.close();
  }
}
