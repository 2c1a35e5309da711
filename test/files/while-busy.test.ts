import { expect, it } from "vitest";
import { whileBusy } from "../../src/files/durable-file.js";

/** Fails with these codes, one for each call, and then returns how often it was called. */
function failing(...codes: string[]) {
  let calls = 0;
  return async () => {
    const code = codes[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    return calls;
  };
}

it("a file that Windows reports as in use is tried again", async () => {
  expect(await whileBusy(failing("EPERM", "EACCES", "EBUSY"), "win32")).toBe(4);
});

it("other errors of Windows are final", async () => {
  await expect(whileBusy(failing("EBUSY", "ENOSPC"), "win32")).rejects.toThrow("ENOSPC");
});

it("a file that another system refuses is not tried again", async () => {
  await expect(whileBusy(failing("EPERM"), "linux")).rejects.toThrow("EPERM");
});
