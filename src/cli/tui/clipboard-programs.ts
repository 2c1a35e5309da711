/** A program that puts what it reads on stdin into a clipboard. */
export interface ClipboardProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly encoding: BufferEncoding;
}

type Env = Readonly<Record<string, string | undefined>>;

const utf8 = (command: string, ...args: string[]): ClipboardProgram => ({ command, args, encoding: "utf8" });

/** clip.exe takes UTF-8 for the code page of the console. */
const CLIP: ClipboardProgram = { command: "clip.exe", args: [], encoding: "utf16le" };

/** The programs for the clipboard of the screen that a person sits at, best first; none where there is no such screen. */
export function clipboardPrograms(platform: NodeJS.Platform, env: Env): readonly ClipboardProgram[] {
  const hasDisplay = Boolean(env["WAYLAND_DISPLAY"] || env["DISPLAY"]);
  // Over SSH the clipboard of this machine is not the one in front of that person, unless a display is passed on.
  if ((env["SSH_CONNECTION"] || env["SSH_TTY"]) && !hasDisplay) return [];
  if (platform === "darwin") return [utf8("pbcopy")];
  if (platform === "win32") return [CLIP];
  return [
    ...(env["WAYLAND_DISPLAY"] ? [utf8("wl-copy")] : []),
    ...(env["DISPLAY"] ? [utf8("xclip", "-selection", "clipboard"), utf8("xsel", "--input", "--clipboard")] : []),
    ...(env["WSL_DISTRO_NAME"] ? [CLIP] : []),
    ...(env["TERMUX_VERSION"] ? [utf8("termux-clipboard-set")] : []),
  ];
}
