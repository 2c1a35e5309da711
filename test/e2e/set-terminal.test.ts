import { describe, expect, it } from "vitest";
import { hasTmux } from "../support/tmux.js";
import { openShell } from "../tui/support/tui-in-tmux.js";

const CERTIFICATE = "-----BEGIN-----\nAAAA\n-----END-----\n";

/** A terminal in which `set DATABASE_URL` asks for the value. */
async function asked() {
  const shell = await openShell({
    env: { APPVARS_DATA: "vars.json", APPVARS_ENV: "shop/development" },
  });
  await shell.run("clear; appvars set DATABASE_URL");
  await shell.until(/^value of DATABASE_URL:$/m);
  return {
    ...shell,
    /** Resolves to the text of the terminal once the command has exited with this code. */
    ended: async (code: number) => {
      await shell.until(/^value of DATABASE_URL:\n(?:.*\n)*sh>$/m);
      await shell.run(
        'echo "code=$?"; stty -a | tr " " "\\n" | grep -x -e -icanon -e -echo; appvars get DATABASE_URL',
      );
      return shell.until(new RegExp(`^code=${code}\n.+\nsh>$`, "m"));
    },
  };
}

// Skipped without tmux, which CI installs.
describe.skipIf(!hasTmux)("in a real terminal, set NAME asks for the value:", () => {
  it("it is not shown, and can be corrected", async () => {
    const shell = await asked();
    await shell.type("hunter33");
    await shell.keys("BSpace");
    await shell.type("2");
    expect(await shell.screen()).not.toContain("hunter");
    await shell.keys("Enter");
    expect(await shell.ended(0)).toMatch(/^code=0\nhunter32$/m);
  });

  it("pasted lines are one value", async () => {
    const shell = await asked();
    await shell.paste(CERTIFICATE);
    await shell.keys("Enter");
    await shell.until(/set DATABASE_URL\nsh>$/m);
    expect(JSON.parse(await shell.saved()).values[0].content.value).toBe(CERTIFICATE.trimEnd());
    expect(await shell.screen()).not.toContain("AAAA");
  });

  it("Ctrl-C ends the command with 130, and leaves the value and the terminal as they were", async () => {
    const shell = await asked();
    await shell.type("hunter2");
    await shell.keys("C-c");
    expect(await shell.ended(130)).toMatch(/^code=130\npostgres:\/\/localhost\/shop_dev$/m);
  });

  it("Ctrl-Z stops the command, which asks again in the foreground", async () => {
    const shell = await asked();
    await shell.keys("C-z");
    await shell.until(/Stopped.*\nsh>$/m);
    await shell.run("clear; fg");
    await shell.until(/^value of DATABASE_URL:$/m);
    await shell.type("hunter2");
    await shell.keys("Enter");
    expect(await shell.ended(0)).toMatch(/^code=0\nhunter2$/m);
  });

  it("Ctrl-D without a value is refused, and leaves the terminal as it was", async () => {
    const shell = await asked();
    await shell.keys("C-d");
    expect(await shell.ended(2)).toMatch(/there is no value/);
  });
});

describe.skipIf(!hasTmux)("in a real terminal, rollback asks whether to change the data:", () => {
  it.each([
    ["C-c", 130],
    ["C-d", 2],
  ])("%s ends it with %i, and changes nothing", async (key, code) => {
    const shell = await openShell({
      env: { APPVARS_DATA: "vars.json", APPVARS_ENV: "shop/development" },
    });
    await shell.run("clear; appvars set PORT 4000 && appvars rollback 1");
    await shell.until(/\[y\/N\]$/m);
    await shell.keys(key);
    await shell.until(/\[y\/N\]\n(?:.*\n)*sh>$/m);
    await shell.run('echo "code=$?"; appvars get PORT');
    await shell.until(new RegExp(`^code=${code}\n4000\nsh>$`, "m"));
  });
});
