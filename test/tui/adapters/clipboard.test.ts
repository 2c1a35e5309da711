import { expect, it } from "vitest";
import { clipboardPrograms } from "../../../src/tui/adapters/clipboard.js";

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
