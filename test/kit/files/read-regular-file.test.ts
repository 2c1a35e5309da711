import { closeSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openForReading, readToEnd } from "../../../src/kit/files/open-file.js";

it("a file that grows while it is read is read only up to the size limit", async () => {
  const endless = await openForReading("/dev/zero");
  onTestFinished(() => closeSync(endless));
  const reading = readToEnd(endless, 0, 1_000_000);
  await expect(reading).rejects.toThrow("is too large: it has 1,024 KB; the limit is 977 KB");
});
