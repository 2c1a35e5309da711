import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOpenInEditor } from "../../../../src/tui/adapters/external-editor.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/** An editor that is an sh script with the file in `$1`. */
async function editing(script: string) {
  const folder = await temporaryFolder();
  const program = join(folder, "editor");
  const keep = 'echo "$1" >"$(dirname "$0")/path"; env >"$(dirname "$0")/env"';
  await writeFile(program, `#!/bin/sh\n${keep}\n${script}\n`, { mode: 0o755 });
  const env = { PATH: process.env["PATH"], EDITOR: program, APPVARS_API_SECRET: "hunter2" };
  const terminal = {
    lend: <T>(use: (untilTakenAway: Promise<void>) => Promise<T>) => use(new Promise(() => {})),
    onExit: () => () => {},
  };
  const io = { env, platform: process.platform, user: process.getuid?.(), clock: Date.now };
  const editText = createOpenInEditor(terminal, io);
  const kept = async (name: "path" | "env") => (await readFile(join(folder, name), "utf8")).trim();
  return {
    edit: (text: string, file = { name: "KEY", isJson: false }) =>
      editText(text, file).catch((error: Error) => error.message),
    path: () => kept("path"),
    env: () => kept("env"),
    isLeft: async () => existsSync(dirname(await kept("path"))),
  };
}

/** Returns the text from an editor, or the reason for refusing it. */
async function edited(text: string, script: string, file?: { name: string; isJson: boolean }) {
  const { edit, path, env, isLeft } = await editing(script);
  const outcome = await edit(text, file);
  expect(await isLeft()).toBe(false);
  return { outcome, path: await path(), env: await env() };
}

describe.skipIf(process.platform === "win32")("a text in the person's own editor", () => {
  it.each([
    ["no line feed at the end", "abc"],
    ["a line feed at the end", "abc\n"],
    ["a carriage return at the end", "abc\r"],
    ["a byte order mark", "\ufeffabc"],
    ["nothing in it", ""],
  ])("a text with %s is returned unchanged", async (_what, text) => {
    expect((await edited(text, "")).outcome).toBe(text);
  });

  it.each([
    ["ends in a line feed", `echo new >"$1"`],
    ["does not end in one", `printf new >"$1"`],
    ["ends in CRLF", `printf 'new\\r\\n' >"$1"`],
    ["begins with a byte order mark", `printf '\\357\\273\\277new\\n' >"$1"`],
    ["is another file, with a backup beside it", `mv "$1" "$1~"; echo new >"$1"`],
  ])("a saved file that %s is read", async (_content, script) => {
    expect((await edited("old", script)).outcome).toBe("new");
  });

  it.each([
    ["is gone", `rm "$1"`, "the file from the editor can't be read: no such file or folder"],
    [
      "is a folder",
      `rm "$1"; mkdir "$1"`,
      "the file from the editor can't be read: it is a folder",
    ],
    ["is not text", `printf '\\377' >"$1"`, "the file from the editor is not valid UTF-8"],
    ["was abandoned", "exit 3", /editor exited with 3: KEY is unchanged$/],
    ["was cut short", "kill $$", /editor was killed by SIGTERM: KEY is unchanged$/],
  ])("a file that %s is refused", async (_what, script, message) => {
    expect((await edited("old", script)).outcome).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  it("the file is named after the variable, with an extension, and the editor gets no credentials", async () => {
    const { path, env } = await edited("{}", "", { name: "FLAGS", isJson: true });
    expect(basename(path)).toBe("FLAGS.json");
    expect(basename((await edited("x", "", { name: "../../cli/evil", isJson: false })).path)).toBe(
      "value.txt",
    );
    expect(env).not.toContain("hunter2");
  });
});
