import { expect, it } from "vitest";
import { screenContent } from "../../../src/tui/program/screen.js";
import { update } from "../../../src/tui/program/update.js";
import type { Effect } from "../../../src/tui/state/effects.js";
import type { Message } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Key } from "../../../src/tui/widgets/key.js";
import { NOW, press, readyState, SECRET, type } from "../support/state.js";
import { CREDENTIALS, MODES, modeOf } from "../support/test-modes.js";

/** Presses keys, typing a text one letter after another; returns the state and all effects. */
function pressed(state: State, ...keys: readonly (Key | string)[]): [State, readonly Effect[]] {
  const all = keys.flatMap((key) => (typeof key === "string" ? Array.from(key, type) : [key]));
  return all.reduce<[State, readonly Effect[]]>(
    ([before, effects], key) => {
      const [after, more] = update(before, { type: "key", key });
      return [after, [...effects, ...more]];
    },
    [state, []],
  );
}

const received = (state: State, message: Message) => update(state, message)[0];
const CHANGE = { name: "PORT", before: undefined, after: { type: "NUMBER", description: "", value: 1 } } as const;
const browsing = readyState();

it.each([
  ["import a.env", { type: "import", place: 0, file: { path: "a.env", format: undefined } }],
  ["import my vars json", { type: "import", place: 0, file: { path: "my vars", format: "json" } }],
  ["import secrets.txt json", { type: "import", place: 0, file: { path: "secrets.txt", format: "json" } }],
  ["import json", { type: "import", place: 0, file: { path: "json", format: undefined } }],
  ["export b.sh shell", { type: "export", place: 0, file: { path: "b.sh", format: "shell" }, isReplacing: false }],
  ['import "my vars" json', { type: "import", place: 0, file: { path: "my vars", format: "json" } }],
  [
    'export "my vars.env"',
    { type: "export", place: 0, file: { path: "my vars.env", format: undefined }, isReplacing: false },
  ],
  ["env add staging", { type: "addEnvironment", place: 0, name: "staging" }],
] as const)(":%s starts its work", (text, effect) => {
  expect(pressed(browsing, ":", text, press("enter"))[1].at(-1)).toEqual(effect);
});

it.each([
  ["export b.json jsn", 'there is no format "jsn" (did you mean json?); a name with spaces needs quotes'],
  ["export c.env github", 'there is no format "github"; a name with spaces needs quotes'],
  ["import i.env yml", 'there is no format "yml"'],
  ["env rotate test", '"env rotate" is for the open environment, and takes a time: open test first'],
  ["env rotate soon", "the time must be like 90s, 30m, 24h or 7d"],
])(":%s is refused before anything is read or written", (text, reason) => {
  const [state, effects] = pressed(browsing, ":", text, press("enter"));
  expect([state.mode.kind, state.notice?.text]).toEqual(["browse", expect.stringContaining(reason)]);
  expect(effects.filter(({ type }) => type !== "listFolder")).toEqual([]);
});

it("Tab quotes a file with a space in its name, and the files in such a folder", () => {
  const listing = { folder: "", names: ["my vars/", "my.env"] };
  const [asked] = pressed(
    received(pressed(browsing, ":import ")[0], { type: "listed", ...listing }),
    "my v",
    press("tab"),
  );
  expect(modeOf(asked, "command").field.text).toBe('import "my vars/');
  const inFolder = received(asked, { type: "listed", folder: "my vars/", names: ["a.env"] });
  expect(modeOf(pressed(inFolder, press("tab"))[0], "command").field.text).toBe('import "my vars/a.env"');
});

it("a command that needs an argument asks for it, and lists the folder that is typed", () => {
  const [asked, effects] = pressed(browsing, ":imp", press("enter"));
  expect(modeOf(asked, "command").field.text).toBe("import ");
  expect(effects).toEqual([{ type: "listFolder", folder: "" }]);
  const names = [".env", "config/", "vars.json"];
  const listed = received(asked, { type: "listed", folder: "", names });
  expect(modeOf(pressed(listed, ".e", press("tab"))[0], "command").field.text).toBe("import .env");
  const [inFolder, more] = pressed(listed, "conf", press("tab"));
  expect([modeOf(inFolder, "command").field.text, more]).toEqual([
    "import config/",
    [{ type: "listFolder", folder: "config/" }],
  ]);
  const [formatted] = pressed(listed, "vars.json ya", press("tab"));
  expect(modeOf(formatted, "command").field.text).toBe("import vars.json yaml");
});

it("an import is confirmed as one edit, with the notes about the file", () => {
  const file = { path: "a.env", format: undefined };
  const message = { type: "imported", place: 0, file, edit: { changes: [CHANGE] }, notes: ["a.env: a note"] } as const;
  const asked = received(browsing, message);
  expect(modeOf(asked, "confirm")).toMatchObject({ purpose: "import", isRevealed: false });
  expect(asked.notice?.text).toBe("a.env: a note");
  const same = received(browsing, { ...message, edit: { changes: [] }, notes: [] });
  expect([same.mode.kind, same.notice?.text]).toEqual(["browse", "a.env changes nothing"]);
});

it("an export asks before it replaces a file", () => {
  const file = { path: "a.env", format: undefined };
  const asked = received(browsing, { type: "exported", place: 0, file, outcome: { kind: "exists" } });
  expect(pressed(asked, press("escape"))).toEqual([browsing, []]);
  const typing = received(pressed(browsing, "a")[0], { type: "exported", place: 0, file, outcome: { kind: "exists" } });
  expect([typing.mode.kind, typing.notice?.text]).toEqual(["form", "a.env already exists; nothing was written"]);
  const [answered, effects] = pressed(asked, press("enter"));
  expect(effects).toEqual([{ type: "export", place: 0, file, isReplacing: true }]);
  const outcome = { kind: "written", count: 2, notes: [] } as const;
  const done = received(answered, { type: "exported", place: 0, file, outcome });
  expect(done.notice).toMatchObject({ text: "wrote 2 variables to a.env", tone: "success" });
});

it("an export has the marked variables alone, in the question before a file is replaced too", () => {
  const [, effects] = pressed(browsing, " ", " ", "j", "R", "j", ":export a.env", press("enter"));
  const file = { path: "a.env", names: new Set(["DATABASE_URL", "PORT", "TOKEN", "UNSET"]) };
  expect(effects.at(-1)).toMatchObject({ type: "export", file });
  const asked = received(browsing, {
    type: "exported",
    place: 0,
    file: { ...file, format: undefined },
    outcome: { kind: "exists" },
  });
  expect(pressed(asked, press("enter"))[1]).toMatchObject([{ file }]);
});

it(":env rotate asks first, and is refused with a reason for a server", () => {
  const [asked, before] = pressed(browsing, ":env rotate 24h", press("enter"));
  expect([modeOf(asked, "ask").text, before]).toEqual([expect.stringContaining("after 24h"), []]);
  expect(pressed(asked, press("enter"))[1]).toEqual([{ type: "rotate", place: 0, grace: "24h" }]);
  const [refused] = pressed(readyState([], { loaded: { isEditable: false } }), ":env rotate", press("enter"));
  expect(modeOf(refused, "command").problem).toMatch(/environments of a server/);
});

it(":env rotate of production needs the name of the environment", () => {
  const { places } = browsing;
  const state = readyState([], { places: places.map((place) => ({ ...place, identity: "shop/production" })) });
  const [asked] = pressed(state, ":env rotate", press("enter"));
  const [refused, none] = pressed(asked, "shop/prod", press("enter"));
  expect([modeOf(refused, "ask").problem, none]).toEqual(["first type shop/production", []]);
  expect(pressed(refused, "uction", press("enter"))[1]).toHaveLength(1);
  const [back, nothing] = pressed(refused, "uction", press("tab"), press("enter"));
  expect([back.mode.kind, nothing]).toEqual(["browse", []]);
});

it("new credentials are masked until v, copied by y, and gone after Escape and a question", () => {
  const screen = (state: State) => JSON.stringify(screenContent(state, []).body);
  const { credentials } = CREDENTIALS;
  const shown = received(browsing, { type: "credentials", credentials });
  expect(screen(shown)).not.toContain(SECRET);
  const [revealed] = pressed(shown, "v");
  expect(screen(revealed)).toContain(SECRET);
  expect(screen(received(revealed, { type: "tick", now: NOW + 60_000 }))).not.toContain(SECRET);
  expect(pressed(shown, "y")[1]).toEqual([{ type: "copyCredentials", credentials }]);
  for (const key of ["escape", "q"]) {
    const [asked] = pressed(revealed, press(key));
    expect(modeOf(asked, "ask").text).toBe(
      "Close the new credentials of shop/staging? appvars env credentials shop/staging prints them again.",
    );
    for (const back of ["escape", "enter"]) expect(pressed(asked, press(back))[0].mode).toEqual(revealed.mode);
    expect(pressed(asked, press("tab"), press("enter"))[0].mode).toEqual({ kind: "browse" });
  }
});

it("Ctrl-C does not quit over new credentials before it is pressed again, in any mode over or under them", () => {
  const { credentials } = CREDENTIALS;
  for (const mode of MODES) {
    const shown = received({ ...browsing, mode }, { type: "credentials", credentials });
    const [asked, effects] = pressed(shown, press("ctrl-c"));
    expect([modeOf(asked, "ask").text, effects]).toEqual([
      "Quit without the new credentials of shop/staging? Ctrl-C again quits.",
      [],
    ]);
    expect(pressed(asked, press("enter"))[0].mode).toEqual(shown.mode);
    expect(pressed(asked, press("ctrl-c"))[1]).toEqual([{ type: "quit" }]);
  }
});
