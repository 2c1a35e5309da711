import { expect, it } from "vitest";
import { readAnyFile } from "../../../src/kit/files/read-file.js";

it("a file that grows while it is read is read only up to the size limit", async () => {
  const reading = readAnyFile("/dev/zero", 1_000_000);
  await expect(reading).rejects.toThrow("is too large: it has 1,024 KB; the limit is 977 KB");
});
