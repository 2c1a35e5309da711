import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readTuiSettings } from "../../../src/tui/adapters/tui-settings.js";
import { ALL_COMMANDS } from "../../../src/tui/commands/all-commands.js";
import { aCaller } from "../../support/caller.js";
import { type CliOptions, runWith } from "../../support/cli.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const SCHEMA = JSON.parse(
  await readFile(new URL("../../../data/appvars.user.schema.json", import.meta.url), "utf8"),
);
const isValid = new Ajv2020().compile(SCHEMA);

/** Reads settings from a user's file. Returns the settings and the notices. */
async function read(content: unknown, options: CliOptions = {}) {
  const config = await temporaryFolder();
  const file = join(config, "settings.json");
  if (content !== undefined)
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  await chmod(config, 0o700);
  const notices: string[] = [];
  const { code } = await runWith(
    async (io) => {
      return readTuiSettings(
        aCaller(io.surroundings, { note: (text) => void notices.push(text) }),
        ALL_COMMANDS,
      );
    },
    { config, ...options },
  );
  return { settings: code, notices, file };
}

test.each([undefined, {}, { tui: {} }, { $schema: "x" }])(
  "the file %j sets nothing",
  async (content) => {
    expect((await read(content)).settings).toEqual({ commands: ALL_COMMANDS });
  },
);

test("all settings are read", async () => {
  const columns = ["name", { name: "value", width: 40 }];
  const keymap = { delete: "X", undo: ["u", "ctrl-y"] };
  const content = {
    tui: { theme: "light", mouse: false, columns, masked: "all", keymap, poll_interval: 60 },
  };
  const { settings } = await read(content);
  expect(isValid(content)).toBe(true);
  const { commands, ...others } = settings;
  expect(others).toEqual({
    theme: "light",
    mouse: false,
    columns: [{ name: "name" }, { name: "value", width: 40 }],
    masked: "all",
    poll_interval: 60,
  });
  const keysOf = (name: string) => commands.find((command) => command.name === name)?.keys;
  expect([keysOf("delete"), keysOf("undo"), keysOf("edit")]).toEqual([
    ["X"],
    ["u", "ctrl-y"],
    ["e"],
  ]);
});

test("the schema knows the names of all commands", () => {
  expect(SCHEMA.$defs.command.enum).toEqual(ALL_COMMANDS.map(({ name }) => name).sort());
  expect(isValid({ tui: { keymap: { "env add": "A" } } })).toBe(true);
});

test.each([
  ["not JSON", "is not valid JSON"],
  [[], "must be a JSON object"],
  [{ theme: "dark" }, ": theme is not a known field"],
  [{ tui: { colour: 1 } }, ": tui.colour is not a known field"],
  [{ tui: [] }, ": tui must be an object"],
  [{ tui: { theme: "solarized" } }, ": tui.theme must be one of auto, dark, light, plain"],
  [{ tui: { mouse: "yes" } }, ": tui.mouse must be true or false"],
  [{ tui: { masked: "none" } }, ": tui.masked must be secret or all"],
  [
    { tui: { columns: ["value"] } },
    ": tui.columns must be a list of columns, each once, with name among them",
  ],
  [{ tui: { columns: ["name", "name"] } }, ": tui.columns must be a list of columns, each once"],
  [
    { tui: { columns: ["name", "id"] } },
    ": tui.columns[1] must be one of name, type, value, description, or",
  ],
  [
    { tui: { columns: ["name", { name: "value", width: 3 }] } },
    ": tui.columns[1].width must be a whole number from 4 to 200",
  ],
  [
    { tui: { poll_interval: 0 } },
    ": tui.poll_interval must be a whole number of seconds from 1 to 3600",
  ],
  [{ tui: { poll_interval: 1.5 } }, ": tui.poll_interval must be a whole number"],
  [{ tui: { keymap: [] } }, ": tui.keymap must be an object with the keys of commands"],
  [
    { tui: { columns: ["name", "type", { name: "type", width: 9 }] } },
    ": tui.columns must be a list of columns, each once",
  ],
  [{ tui: { keymap: { edit: 1 } } }, ": tui.keymap.edit must be a key or a list of keys"],
  [{ tui: { keymap: { edit: "" } } }, ': tui: keymap.edit: "" is not a key'],
  [{ tui: { keymap: { constructor: "x" } } }, ': tui: keymap: "constructor" is not a command'],
])("the file %j is refused", async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
  expect(isValid(content)).toBe(false);
});

test.each([[{ edit: "x" }, ": tui: keymap.edit: x is also a key of delete;"]])(
  "the keymap %j is refused, and the error names its place in the file",
  async (keymap, message) => {
    await expect(read({ tui: { keymap } })).rejects.toThrow(message);
  },
);

test.skipIf(process.platform === "win32")(
  "a file that others can write is ignored, with a notice",
  async () => {
    const config = await temporaryFolder();
    const file = join(config, "settings.json");
    await writeFile(file, JSON.stringify({ tui: { mouse: false } }));
    await chmod(file, 0o666);
    const { settings, notices } = await read(undefined, { config });
    expect(settings).toEqual({ commands: ALL_COMMANDS });
    expect(notices).toEqual([`continuing without settings: ${file} can be written by everybody`]);
  },
);
