import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Data } from "../../../src/store/data.js";
import { dataFile } from "../../support/data-file.js";
import { runningServer } from "../../support/running-server.js";
import {
  developmentProfile,
  openPlace,
  openTui,
  profileFolder,
  remoteProgram,
  SECRET,
  SHOP,
} from "../support/tui.js";

describe("one edit of several environments", () => {
  it("copies values to several environments, shows them by environment, and is one change", async () => {
    const tui = await openTui();
    tui.press(" ", " ", ">", " ", " ", "enter");
    await tui.shows(
      /Copy 2 variables to test and production\?/,
      /in test[\s\S]*DATABASE_URL[\s\S]*in production[\s\S]*DATABASE_URL[\s\S]*PORT/,
      /type production to confirm/,
    );
    tui.press("enter");
    expect(tui.frame()).toContain("✗ type production first");
    expect(tui.frame()).not.toContain(SECRET);
    tui.press("alt-v");
    await tui.shows(/value +- (other|live) hunter2/, / \+ hunter2/, /Alt-V hide values/);
    tui.press(..."production", "enter");
    await tui.shows(/✓ copied 2 variables to test and production; u undoes it/);
    expect(await tui.saved("DATABASE_URL", "test")).toBe(SECRET);
    expect(await tui.saved("PORT", "production")).toBe(3000);
    tui.press("u");
    await tui.shows(/Undo the change to 2 variables in test and production\?/, /change 1, by/);
    tui.press(..."production", "enter");
    await tui.shows(/undid the change/);
    expect(await tui.saved("DATABASE_URL", "test")).toBe(`other ${SECRET}`);
  });

  it("skips variables without a value in a copy, and keeps the values in the other place", async () => {
    const tui = await openTui();
    tui.press("*", ">", "/", ..."production", "escape");
    tui.press("j", "enter");
    await tui.shows(/Copy 4 variables to production\?/);
    tui.press(..."production", "enter");
    await tui.shows(/✓ copied 4 variables to production/);
    expect([
      await tui.saved("UNSET", "production"),
      await tui.saved("DEBUG", "production"),
    ]).toEqual([true, true]);
  });

  it("copies to environments of several applications, and says what was written", async () => {
    const billing = {
      id: 9,
      application: "billing",
      name: "test",
      api_key: "billing-key",
      api_secret: "secret-9",
    };
    const tui = await openTui({
      data: { ...SHOP, environments: [...SHOP.environments, billing] },
      env: "shop/development",
    });
    tui.press(">", "*", "enter");
    await tui.shows(/Copy DATABASE_URL to shop\/test, shop\/production and billing\/test\?/);
    tui.press(..."DATABASE_URL", "enter");
    await tui.shows(
      /✓ copied DATABASE_URL to shop\/test, shop\/production and billing\/test; u undoes it/,
    );
    const saved: Data = JSON.parse(await readFile(tui.file.path, "utf8"));
    expect(saved.values.find(({ environment_id }) => environment_id === 9)?.content.value).toBe(
      SECRET,
    );
  });

  it("deletes a variable everywhere, and says that it is deleted completely", async () => {
    const tui = await openTui();
    await tui.shows(/test +[~=] /, /production +[~=] /);
    tui.press("D");
    await tui.shows(/✓ 3 marked {2}Delete the values of DATABASE_URL in/);
    tui.press("enter");
    await tui.shows(
      /Delete the value of DATABASE_URL in development, test and production\?/,
      /DATABASE_URL has no value in any other environment and will be deleted completely/,
    );
    tui.press(..."DATABASE_URL", "enter");
    await tui.shows(/✓ deleted the value of DATABASE_URL in development, test and production/);
    expect(await readFile(tui.file.path, "utf8")).not.toContain("DATABASE_URL");
  });

  it("needs the names of all production places if several variables are replaced", async () => {
    const environments = SHOP.environments.map((each) =>
      each.name === "test" ? { ...each, name: "eu-prod" } : each,
    );
    const tui = await openTui({ data: { ...SHOP, environments } });
    tui.press("*", ">", "*", "enter");
    await tui.shows(/type eu-prod production to confirm/);
  });

  it("writes to different files one after another, and says in an error what was written", async () => {
    const [first, second] = [await dataFile(SHOP), await dataFile(SHOP)];
    const profile = (path: string, env: string) => ({ data: path, env: `shop/${env}` });
    const { url } = await runningServer();
    const { path: config } = await profileFolder({
      server: developmentProfile(url),
      one: profile(first.path, "development"),
      two: profile(first.path, "test"),
      three: profile(second.path, "test"),
    });
    const tui = await remoteProgram({}, { config });
    await openPlace(tui, "one");
    tui.press(">", "*", "enter");
    await tui.shows(/Copy DATABASE_URL to two and three\?/);
    await second.write("{");
    tui.press("enter");
    await tui.shows(
      /✗ .*is not valid JSON/,
      /Only two was written before/,
      /Copy DATABASE_URL to three\?/,
    );
    const written: Data = JSON.parse(await readFile(first.path, "utf8"));
    expect(written.values.find(({ id }) => id === 15)?.content.value).toBe(SECRET);
    await second.write(SHOP);
    tui.press("enter");
    await tui.shows(/✓ copied DATABASE_URL to three/);
  });
});

describe("the history", () => {
  it("of a variable or of the environment is shown with a diff, and a rollback restores the state before a change", async () => {
    const tui = await openTui();
    for (const key of ["1", "2"]) {
      tui.press("g", "j", "e", key, "ctrl-s");
      await tui.shows(/▶ Change/);
      tui.press("enter");
      await tui.shows(/changed PORT/);
    }
    tui.press("g", "e", "!", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("enter");
    await tui.shows(/changed DATABASE_URL/);
    tui.press("j", "H");
    await tui.shows(
      /Changes to PORT in development, times in UTC/,
      /› +2 {2}\d{4}-\d\d-\d\d /,

      /value +- •+/,
    );
    expect(tui.frame()).not.toContain("DATABASE_URL");
    tui.press("V");
    await tui.shows(/value +- 30001/, / \+ 300012/);
    tui.press("H");
    await tui.shows(/Changes to development/, /› +3 /);
    tui.press("escape", "H", "j", "enter");
    await tui.shows(/Roll back PORT in development\?/, /restores the state before change 1, by/);
    tui.press("escape");
    expect(tui.frame()).toMatch(/Changes to PORT in development[\s\S]*› +1 /);
    tui.press("enter");
    await tui.shows(/Roll back PORT in development\?/);
    tui.press("enter");
    await tui.shows(/✓ rolled back PORT; u undoes it/, /▶ Variables/);
    expect([await tui.saved("PORT"), await tui.saved("DATABASE_URL")]).toEqual([
      3000,
      `${SECRET}!`,
    ]);
    tui.press("escape", "H", "H");
    await tui.shows(/Changes to development/);
    tui.press("G", "enter");
    await tui.shows(
      /Roll back DATABASE_URL in development\?/,
      /restores the state before change 1, by/,
    );
    tui.press("enter");
    await tui.shows(/✓ rolled back DATABASE_URL/);
    expect([await tui.saved("PORT"), await tui.saved("DATABASE_URL")]).toEqual([3000, SECRET]);
  });

  it("shows no value of a variable that was public then and is secret now", async () => {
    const variables = SHOP.variables.map((each) =>
      each.name === "DATABASE_URL" ? { ...each, secret: false } : each,
    );
    const tui = await openTui({ data: { ...SHOP, variables } });
    tui.press("e", "!", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("enter");
    await tui.shows(/changed DATABASE_URL/);
    tui.press("H");
    await tui.shows(/ \+ hunter2!/);
    tui.press("escape", "e", "shift-tab", "shift-tab", "shift-tab");
    tui.press("tab", "tab", "tab", "tab", "tab", "tab", "left", "ctrl-s");
    await tui.shows(/▶ Change/, /secret/);
    tui.press("enter");
    await tui.shows(/changed DATABASE_URL/);
    tui.press("H", "j");
    await tui.shows(/value +- •+/);
    expect(tui.frame()).not.toContain("hunter2");
  });

  it("of an environment has no changes of others", async () => {
    const tui = await openTui();
    tui.press(">", "/", ..."test", "escape", "enter");
    await tui.shows(/Copy DATABASE_URL to test\?/);
    tui.press("enter");
    await tui.shows(/copied DATABASE_URL to test/);
    tui.press("H");
    await tui.shows(/DATABASE_URL in development has no recorded changes/);
    await openPlace(tui, "test");
    tui.press("H");
    await tui.shows(/Changes to DATABASE_URL in test/);
  });

  it("sorts the list by last change, also after new changes", async () => {
    const tui = await openTui();
    tui.press("j", "x");
    await tui.shows(/▶ Delete/);
    tui.press("enter");
    await tui.shows(/deleted the value of PORT/);
    tui.press("s", "s", "s");
    await tui.until(() => tui.names[0] === "PORT");
    tui.press("g", "j", "e", "!", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("enter");
    await tui.until(() => tui.names[0] === "DATABASE_URL" && tui.names[1] === "PORT");
  });

  it("that is missing leaves nothing to undo", async () => {
    const tui = await openTui({ data: { ...SHOP, history: { entries: 0 } } });
    tui.press("x");
    await tui.shows(/▶ Delete/);
    tui.press("enter");
    await tui.shows(/deleted the value/);
    tui.press("u");
    await tui.shows(/✗ nothing to undo/);
  });

  it("an undo does not touch environments and other applications, and says so", async () => {
    const billing = {
      id: 9,
      application: "billing",
      name: "test",
      api_key: "billing-key",
      api_secret: "secret-9",
    };
    const data = { ...SHOP, environments: [...SHOP.environments, billing] };
    const tui = await openTui({ data, env: "shop/test" });
    tui.press("e", "!", "ctrl-s");
    await tui.shows(/▶ Change/);
    tui.press("enter");
    await tui.shows(/changed DATABASE_URL/);
    const now: Data = JSON.parse(await readFile(tui.file.path, "utf8"));
    const values = now.values.map((each) =>
      each.id === 16 ? { ...each, content: { value: 1 } } : each,
    );
    const environments = now.environments.filter(({ id }) => id !== 9);
    await tui.file.write({ ...now, values, environments });
    await openPlace(tui, "shop/development");
    tui.press("u");
    await tui.shows(
      /Undo the change to PORT in shop\/test\?/,
      /also touched environments, keys or other applications/,
    );
  });

  it("an undo does not touch an environment with the same name in another file, and says that it leaves something out", async () => {
    const session = await openTui({ env: "production" });
    session.press(">", "*", "enter");
    await session.shows(/Copy DATABASE_URL to development and test\?/);
    session.press("enter");
    await session.shows(/✓ copied DATABASE_URL to development and test/);
    const other = await dataFile(SHOP);
    const { path: config } = await profileFolder({
      server: { url: "http://127.0.0.1:1", api_key: "key", api_secret: "secret" },
      own: { data: session.file.path, env: "shop/development" },
      other: { data: other.path, env: "shop/test" },
    });
    const tui = await remoteProgram({}, { config });
    await openPlace(tui, "own");
    tui.press("u");
    const question = await tui.shows(/Undo the change to DATABASE_URL in /);
    expect(question).toMatch(/ in own\?/);
    expect(question).toContain(
      "! That change also touched environments, keys or other applications",
    );
  });
});
