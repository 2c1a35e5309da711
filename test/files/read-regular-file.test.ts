import { expect, it } from "vitest";
import { type OpenFile, readRegularFile } from "../../src/files/open-file.js";

it("a file that grows while it is read is read only up to the size limit", async () => {
  let reads = 0;
  const read = async (buffer: Uint8Array) => ++reads && buffer.fill(0x20).length;
  const file = {
    stat: async () => ({ size: 0, isDirectory: () => false, isFile: () => true }),
    read,
    close: async () => {},
  };
  const reading = readRegularFile(file as unknown as OpenFile, 1_000_000);
  await expect(reading).rejects.toThrow("is too large: it has 1,024 KB; the limit is 977 KB");
  expect(reads).toBeLessThan(20);
});
