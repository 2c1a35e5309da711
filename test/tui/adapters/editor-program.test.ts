import { expect, test } from "vitest";
import { editorCommand } from "../../../src/tui/adapters/external-editor.js";

const FILE = "/dev/shm/x/KEY.txt";

test.each([
  ["VISUAL before EDITOR", { VISUAL: "code --wait", EDITOR: "ed" }, ["code", "--wait", FILE]],
  ["EDITOR", { EDITOR: "/opt/my-editor" }, ["/opt/my-editor", FILE]],
  ["vi where they are empty", { VISUAL: "", EDITOR: " " }, ["vi", FILE]],
  [
    "a shell for a command line with quotes",
    { EDITOR: '"my editor" -n' },
    ["sh", "-c", '"my editor" -n "$@"', "sh", FILE],
  ],
])("the editor is %s", (_what, env, command) => {
  expect(editorCommand(FILE, "linux", env)).toEqual(command);
});

test.each([
  ["notepad by default", {}, ["notepad", FILE]],
  [
    "a path in quotes",
    { EDITOR: '"C:\\Program Files\\np++.exe" -multiInst' },
    ["C:\\Program Files\\np++.exe", "-multiInst", FILE],
  ],
])("on Windows the editor is %s", (_what, env, command) => {
  expect(editorCommand(FILE, "win32", env)).toEqual(command);
});
