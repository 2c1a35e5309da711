import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAnswerFolder } from "../../src/cache/answer-folder.js";
import { LONGEST_KEPT_S } from "../../src/cache/longest-kept.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const OWNER = { url: "http://127.0.0.1:7400", apiKey: "dev-key", apiSecret: "dev-secret" };
const PORT = ["getContentByName", "PORT"];
const DEBUG = ["getContentByName", "DEBUG"];
const KEPT = { answer: { value: 3000 }, savedAt: 1_700_000_000_000 };

async function files(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("a folder of answers", () => {
  it("gives back what was written, in another process too", async () => {
    const root = await temporaryFolder();
    await createAnswerFolder(root, OWNER).write(PORT, KEPT);
    expect(await createAnswerFolder(root, OWNER).read(PORT)).toEqual(KEPT);
    expect(await createAnswerFolder(root, OWNER).read(DEBUG)).toBeUndefined();
  });

  it("gives an answer to nobody with another secret", async () => {
    const root = await temporaryFolder();
    await createAnswerFolder(root, OWNER).write(PORT, KEPT);
    expect(await createAnswerFolder(root, { ...OWNER, apiSecret: "other" }).read(PORT)).toBeUndefined();
  });

  it("does not take one answer in the place of another", async () => {
    const root = await temporaryFolder();
    const answers = createAnswerFolder(root, OWNER);
    await answers.write(PORT, KEPT);
    const [first = ""] = await files(root);
    await answers.write(DEBUG, KEPT);
    const [second = ""] = (await files(root)).filter((path) => path !== first);
    await writeFile(second, await readFile(first));
    expect(await answers.read(DEBUG)).toBeUndefined();
  });

  it("removes one, or all of an owner's", async () => {
    const root = await temporaryFolder();
    const [answers, others] = [OWNER, { ...OWNER, apiKey: "test-key" }].map((owner) => createAnswerFolder(root, owner));
    for (const store of [answers, others]) for (const request of [PORT, DEBUG]) await store?.write(request, KEPT);
    await answers?.remove(PORT);
    expect([await answers?.read(PORT), await answers?.read(DEBUG)]).toEqual([undefined, KEPT]);
    await answers?.clear();
    expect([await answers?.read(DEBUG), await others?.read(PORT)]).toEqual([undefined, KEPT]);
  });

  it("has nothing to remove where there is nothing", async () => {
    const answers = createAnswerFolder(join(await temporaryFolder(), "none"), OWNER);
    await answers.remove(PORT);
    await answers.clear();
    expect(await answers.read(PORT)).toBeUndefined();
  });

  it.skipIf(process.platform === "win32")("is its owner's alone, whatever the umask is and was", async () => {
    const old = process.umask(0);
    onTestFinished(() => void process.umask(old));
    const root = join(await temporaryFolder(), "cache", "answers");
    await mkdir(root, { recursive: true, mode: 0o777 });
    await createAnswerFolder(root, OWNER).write(PORT, KEPT);
    const [file = ""] = await files(root);
    const modes = await Promise.all(
      [file, join(file, ".."), root].map(async (path) => (await stat(path)).mode & 0o777),
    );
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  it("removes what is too old to be of use, whosever it was", async () => {
    const root = await temporaryFolder();
    const others = createAnswerFolder(root, { ...OWNER, apiSecret: "rotated" });
    await others.write(PORT, KEPT);
    const [file = ""] = await files(root);
    const old = KEPT.savedAt / 1_000 - LONGEST_KEPT_S - 1;
    await utimes(file, old, old);
    await utimes(join(file, ".."), old, old);
    await createAnswerFolder(root, OWNER).write(DEBUG, KEPT);
    expect(await readdir(root)).toHaveLength(1);
    expect(await others.read(PORT)).toBeUndefined();
  });
});
