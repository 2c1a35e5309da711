import { stat } from "node:fs/promises";

/** What differs between two versions of a file, whichever way it was changed; `absent` for none. */
export async function fingerprint(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "absent";
  }
}
