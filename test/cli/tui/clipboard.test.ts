import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clipboardPrograms, createCopy } from "../../../src/cli/tui/clipboard.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** A clipboard with these programs, scripts of sh, and no others. */
async function _clipboard(programs: Record<string, string>, env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 });
  }
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  return {
    copy: createCopy({ write, platform: "linux", env: { PATH: folder, ...env } }),
    written: () => written,
    kept: (file: string) => readFile(join(folder, file), "utf8"),
    path: (file: string) => join(folder, file),
  };
}

it.each([
  ["darwin", {}, ["pbcopy"]],
  ["win32", {}, ["C:\\Windows\\System32\\clip.exe"]],
  ["win32", { SystemRoot: "D:\\W" }, ["D:\\W\\System32\\clip.exe"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" }, ["wl-copy", "xclip", "xsel"]],
  ["linux", { WSL_DISTRO_NAME: "Debian" }, ["clip.exe"]],
  ["linux", { TERMUX_VERSION: "0.118" }, ["termux-clipboard-set"]],
  ["linux", { SSH_CONNECTION: "a b", DISPLAY: "localhost:10.0" }, ["xclip", "xsel"]],
  ["darwin", { SSH_TTY: "/dev/ttys001" }, []],
] as const)("the clipboard programs on %s with %o are %o", (platform, env, commands) => {
  expect(clipboardPrograms(platform, env).map(([command]) => command)).toEqual(commands);
});
