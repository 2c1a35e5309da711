import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decrypt, encrypt } from "../../../src/encryption/envelope.js";
import { update } from "../../../src/tui/program/update.js";
import type { Message } from "../../../src/tui/state/messages.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Key, Mouse } from "../../../src/tui/widgets/key.js";
import { edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { isWell, remoteProgram } from "../support/remote-program.js";
import { ENTRIES, finished, NOW, paste, press, readyState, type } from "../support/state.js";
import { editOf, MODES, modeOf } from "../support/test-modes.js";

const NAMED = "up down left right home end pageup pagedown insert delete backspace enter escape tab shift-tab f1";
const KEYS: readonly Key[] = [
  ...Array.from({ length: 95 }, (_, index) => type(String.fromCharCode(32 + index))),
  ...NAMED.split(" ").map(press),
  ...Array.from("abdefgjklnopqrstuvwxyz", (letter) => press(`ctrl-${letter}`)),
  paste("x"),
  paste("SECRET=1\n"),
];
const MOUSE = (["press", "wheel-up", "wheel-down"] as const).flatMap((action): readonly Mouse[] => {
  return [0, 5, 11].flatMap((row) => [0, 10, 40].map((column) => ({ action, column, row })));
});
const INPUT: readonly Message[] = [
  ...KEYS.map((key) => ({ type: "key", key }) as const),
  ...MOUSE.map((mouse) => ({ type: "mouse", mouse, now: NOW }) as const),
];

const sent = (state: State, ...messages: readonly Message[]) => {
  return messages.reduce((before, message) => update(before, message)[0], state);
};
const typed = (state: State, ...keys: readonly (Key | string)[]) => {
  const all = keys.flatMap((key) => (typeof key === "string" ? Array.from(key, type) : [key]));
  return sent(state, ...all.map((key) => ({ type: "key", key }) as const));
};

describe("where nothing is shown", () => {
  it.each([
    [59, 40],
    [200, 14],
  ])("no key and no mouse acts on %dx%d, in any mode", (columns, rows) => {
    for (const mode of MODES) {
      const state: State = { ...readyState(ENTRIES, { columns, rows }), mode };
      for (const message of INPUT) expect(update(state, message)).toEqual([state, []]);
    }
  });

  it("Ctrl-C still quits, and a larger screen is usable again", () => {
    const small = readyState(ENTRIES, { columns: 50, rows: 12 });
    expect(update(small, { type: "key", key: press("ctrl-c") })[1]).toEqual([{ type: "quit" }]);
    const large = sent(small, { type: "resize", columns: 80, rows: 24 });
    expect(update(large, { type: "key", key: type("x") })[1]).toMatchObject([{ type: "assign" }]);
  });
});

const UNDOABLE = readyState(ENTRIES, {
  history: { done: [{ place: 0, purpose: "edit", edit: editOf("PORT", undefined, undefined) }], undone: [] },
});

describe("while new credentials are made", () => {
  it("Ctrl-C in one burst with Enter does not quit without them", async () => {
    const file = await dataFile(edited(() => {}));
    const program = await remoteProgram({ data: file.path, env: "test" }, {});
    await program.until(isWell);
    program.press(...":env rotate", "enter", "enter", "ctrl-c");
    expect(modeOf(program.state, "ask").text).toBe("Quit without the new credentials? Ctrl-C again quits.");
    await program.until(({ mode, pending }) => mode.kind === "credentials" && !pending);
    program.press("ctrl-c");
    expect(modeOf(program.state, "ask").text).toMatch(/^Quit without the new credentials of shop\/test\?/);
    program.press("escape", "escape", "ctrl-x");
    expect(program.state.mode).toEqual({ kind: "browse" });
  });

  it.each([":env rotate", ":env add staging"])("Ctrl-C asks, and the question can be answered: %s", (command) => {
    const state = typed(readyState(), command, press("enter"), ...(command === ":env rotate" ? [press("enter")] : []));
    const asked = typed(state, press("ctrl-c"));
    expect(typed(asked, press("escape"))).toEqual(state);
    for (const key of ["ctrl-c", "ctrl-x"]) {
      expect(update(asked, { type: "key", key: press(key) })[1]).toEqual([{ type: "quit" }]);
    }
  });

  it("neither the failure nor the end of other work ends the wait", () => {
    const state = typed(readyState(), ":export a.env", press("enter"), ":env rotate", press("enter"), press("enter"));
    const other = typed(readyState(), ":env add other", press("enter")).pending;
    const done = other ? [{ type: "done", effect: other } as const] : [];
    expect(done).toHaveLength(1);
    const refused = sent(state, { type: "refused", failure: { code: "usage", message: "no" } }, ...done);
    expect(modeOf(typed(refused, "x", press("ctrl-c")), "ask").text).toMatch(/^Quit without the new credentials/);
  });
});

describe("while an edit is prepared", () => {
  it.each([
    ["a form", typed(readyState(), "e", type("x"), press("ctrl-s"))],
    ["a deletion", typed(readyState(), "x")],
    ["a take-over", typed(readyState(), ":take-over shop/test", press("enter"))],
    ["an import", typed(readyState(), ":import a.env", press("enter"))],
    ["undo", typed(UNDOABLE, "u")],
    ["new credentials", typed(readyState(), ":env rotate", press("enter"), press("enter"))],
    ["an environment", typed(readyState(), ":env add staging", press("enter"))],
  ])("no key and no mouse acts: %s", (_what, state) => {
    for (const message of INPUT) {
      const isGlobal = message.type === "key" && ["ctrl-l", "ctrl-z"].includes(message.key.name);
      if (!isGlobal) expect(update(state, message)).toEqual([state, []]);
    }
  });

  it.each([
    { type: "refused", failure: { code: "usage", message: "no" } },
    { type: "assigned", place: 0, purpose: "delete", edit: { changes: [] } },
  ] as const)("keys act again after the outcome: $type", (outcome) => {
    const over = finished(typed(readyState(), "x"), outcome);
    expect(typed(over, "e").mode.kind).toBe("form");
  });

  it("keys act in a form whose edit is refused", () => {
    const state = typed(readyState(), "e", "x", press("ctrl-s"), "lost");
    const failure = { code: "usage", message: "no" };
    const refused = finished(state, { type: "notPrepared", name: "DATABASE_URL", failure });
    expect(modeOf(typed(refused, "y"), "form").value.text).toMatch(/xy$/);
  });
});

it("an encrypted value is written as it was reviewed, even if more keys follow Ctrl-S in one burst", async () => {
  const KEY = "the key";
  const file = await dataFile(edited((data) => (data.values[1].content.value = encrypt("old", KEY))));
  const keyFile = join(await temporaryFolder(), "key");
  await writeFile(keyFile, KEY, { mode: 0o600 });
  const program = await remoteProgram({ data: file.path, encKeyFile: keyFile }, {});
  await program.until(isWell);
  program.press("e", ..."new", "ctrl-s", ..."-and-more", "enter");
  await program.until(({ mode }) => mode.kind === "confirm");
  expect(program.frame()).toMatch(/\+ new +┃/);
  program.press("enter");
  await program.until(({ history }) => history.done.length > 0);
  const { after } = program.state.history.done[0]?.edit.changes[0] ?? {};
  expect(decrypt(String(after?.value), KEY)).toBe("new");
});
