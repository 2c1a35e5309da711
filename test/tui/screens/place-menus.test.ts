import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { FileSealing } from "../../../src/store/bytes/file-sealing.js";
import type { Data } from "../../../src/store/data.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import {
  openPlace,
  openTui,
  profileFolder,
  remoteProgram,
  SHOP,
  selectedIn,
  shopOf,
} from "../support/tui.js";

const environment = (id: number, name: string, application = "shop") => {
  return { id, application, name, api_key: `key-${id}`, api_secret: `secret-${id}` };
};

/** A variable with a value in the named environments. */
function named(...names: string[]): Data {
  const environments = names.map((name, index) => environment(index + 1, name));
  return { ...shopOf({ name: "A", values: names.map(() => "x") }), environments };
}

/** The lines of the panel of places, without its border and the spaces at the end. */
function panelIn(frame: string): string[] {
  return frame
    .split("\n")
    .slice(2, -2)
    .flatMap((line) => line.slice(1).split(/ *[│┃]/)[0] || []);
}

describe("the list of places", () => {
  it("has a heading for each group, and shows the open place, the cursor, and the result of the last read", async () => {
    const tui = await openTui({ data: DATA, env: "shop/development" });
    expect(panelIn(await tui.shows(/production +✓/))).toEqual([
      ...[" shop", "›● development  ✓", "   test         ✓", "   production   ✓"],
      ...[" billing", "   development  ·"],
    ]);
    await openPlace(tui, "shop/test");
    expect(panelIn(tui.frame()).slice(1, 3)).toEqual(["   development  ✓", "›● test         ✓"]);
    await tui.file.write("{");
    await tui.tickUntil(/› ?● test +!/);
  });

  it("follows environments that are added and removed, each with its group", async () => {
    const tui = await openTui({ data: DATA, env: "shop/development" });
    await tui.file.write({ ...DATA, environments: [...DATA.environments, environment(9, "qa")] });
    await tui.tickUntil(/production .*\n│ {3}qa /);
    tui.press("h", "3", "j");
    expect(tui.frame()).toMatch(/› {2}qa /);
    await tui.file.write(DATA);
    await tui.tickUntil(/production .*\n[│┃]›? +billing/);
  });

  it("says that the open environment is gone, and reads it again when it is back", async () => {
    const tui = await openTui({ env: "test" });
    const environments = SHOP.environments.filter(({ name }) => name !== "test");
    const values = SHOP.values.filter(({ environment_id }) => environment_id !== 2);
    await tui.file.write({ ...SHOP, environments, values });
    await tui.tickUntil(/✗ .*no environment .*shop\/test/);
    await tui.file.write(SHOP);
    await tui.tickUntil(/● test +✓/, /Variables 1\/5/);
  });

  it("scrolls with the cursor, and shows its length", async () => {
    const tui = await openTui({
      data: named(...Array.from({ length: 50 }, (_, index) => `p${index + 10}`)),
      env: "p10",
    });
    tui.press("h", "G");
    expect(tui.frame()).toMatch(/› {2}p59/);
    expect(tui.frame()).toMatch(/50\/50/);
    expect(tui.frame()).not.toContain(" p10 ·");
    tui.press("2", "0", "k");
    expect(tui.frame()).toMatch(/› {2}p39/);
  });

  it("is as wide as its names, up to 30 columns, and fills a narrow screen", async () => {
    const widthOf = async (columns: number, name: string) => {
      const tui = await openTui({ data: named(name, "other"), env: name, columns });
      return tui.frame().split("\n")[1]?.search(/[┏╭]/) === 0
        ? (tui.frame().split("\n")[1] ?? "").search(/[╮┓]/) + 1
        : 0;
    };
    expect(await widthOf(120, "test")).toBe(20);
    expect(await widthOf(120, "a-name-of-20-letters")).toBe(28);
    expect(await widthOf(120, "n".repeat(100))).toBe(30);
    expect(await widthOf(80, "n".repeat(100))).toBe(22);
    const narrow = await openTui({ columns: 79 });
    expect(narrow.frame()).not.toContain("Environments");
    narrow.press("h");
    expect(narrow.frame()).toMatch(/▶ Environments[\s\S]*│? shop\b/);
  });

  it("keeps the selected variable while visiting an environment that does not have it", async () => {
    const tui = await openTui({ data: DATA, env: "shop/development" });
    tui.press("j");
    const name = selectedIn(tui.frame());
    await openPlace(tui, "billing/development");
    expect(selectedIn(tui.frame())).toBe("DATABASE_URL");
    await openPlace(tui, "shop/test");
    expect(selectedIn(tui.frame())).toBe(name);
  });
});

describe("a sealed file without its key", () => {
  const SEALED = new FileSealing("0123456789abcdef".repeat(3), "sealed");

  async function withProfiles() {
    const variables = SHOP.variables.map((each) =>
      each.name === "PORT" ? { ...each, secret: false } : each,
    );
    const file = await dataFile(SEALED.seal({ ...SHOP, variables }));
    const plain = await dataFile(SHOP);
    const profiles = await profileFolder({
      server: { url: "http://127.0.0.1:1", api_key: "key", api_secret: "secret" },
      locked: { data: file.path, env: "development" },
      plain: { data: plain.path, env: "development" },
    });
    return { file, plain, tui: await remoteProgram({}, { config: profiles.path }) };
  }

  it("shows names and public values, and offers nothing that needs the key", async () => {
    const { tui } = await withProfiles();
    await openPlace(tui, "locked");
    await tui.shows(
      /sealed {2}read-only/,
      /● locked +ro ✓/,
      /DATABASE_URL +STRING +\(sealed\)/,
      /PORT +NUMBER +3000/,
    );
    expect(tui.footer()).not.toMatch(/edit|add|delete|undo|history/);
    for (const key of ["v", ">", "H", "y"]) {
      tui.press(key);
      await tui.shows(/✗ .*is sealed: set APPVARS_SEAL_KEY/);
      tui.press("escape");
    }
    tui.press("V", "/", ..."hunter", "enter");
    expect(tui.frame()).toContain("sealed values were not searched");
  });

  it("is refused as a target before anything is asked or written", async () => {
    const { file, plain, tui } = await withProfiles();
    const before = await readFile(plain.path, "utf8");
    await openPlace(tui, "plain");
    tui.press("j", "x");
    await tui.shows(/▶ Delete/);
    tui.press("escape", ">");
    await tui.shows(new RegExp(`✗ ${file.path} is sealed: set APPVARS_SEAL_KEY`));
    expect(await readFile(plain.path, "utf8")).toBe(before);
  });
});

describe("production", () => {
  const YES = [
    "production",
    "PROD",
    "eu-prod-1",
    "prod2",
    "Production (eu)",
    "ProdEU",
    "shopProd",
    "SHOPProd",
  ];
  const TOO = ["myprod", "prodeu", "EU_PRODUCTION", "productionEU", "storeprod"];
  const NO = [
    "test",
    "products",
    "Product",
    "shopProduct",
    "reproduce",
    "reproduction",
    "producer",
    "staging",
  ];
  const NOR = ["preprod", "pre-production", "PreProd", "non_prod", "notProd"];

  it("is recognized by the words of a name, has a warning color, and asks for a name before a deletion", async () => {
    const tui = await openTui({
      data: named(...NO, ...NOR, ...YES, ...TOO),
      env: "test",
      rows: 40,
    });
    const frame = tui.painted("dark");
    const isWarned = (name: string) => frame.includes(`\x1b[38;2;240;180;92m  ${name} `);
    for (const name of [...YES, ...TOO]) expect([name, isWarned(name)]).toEqual([name, true]);
    for (const name of [...NO, ...NOR]) expect([name, isWarned(name)]).toEqual([name, false]);
    for (const [name, isAsked] of [
      ["storeprod", true],
      ["preprod", false],
    ] as const) {
      await openPlace(tui, name);
      tui.press("x");
      expect((await tui.shows(/▶ Delete/)).includes("to confirm")).toBe(isAsked);
      tui.press("escape");
    }
  });

  it("is not recognized by the application", async () => {
    const data = {
      ...SHOP,
      environments: [environment(1, "test", "prod"), environment(2, "main", "prod")],
    };
    const tui = await openTui({ data: { ...data, variables: [], values: [] }, env: "prod/test" });
    expect(tui.painted("dark")).not.toContain("38;2;240;180;92m");
  });
});
