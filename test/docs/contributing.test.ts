import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
// @ts-expect-error: scripts have no types
import * as rooms from "../../scripts/rooms.mjs";

const TEXT = readFileSync("CONTRIBUTING.md", "utf8");
const FILE = /`((?:src|test|data|docs|scripts|bin)\/[\w./*-]+)`/g;
const paths = (text: string) => [...text.matchAll(FILE)].map(([, path = ""]) => path);

it("every file that CONTRIBUTING.md names exists", () => {
  const named = paths(TEXT).filter((path) => !path.includes("*"));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it("the things to add take as many files as CONTRIBUTING.md says", () => {
  const counted = [
    ...TEXT.matchAll(/^\*\*(.+?)\*\*[^.]*? takes (\d) files:\s+([\s\S]*?\.)(?= [A-Z]|\n)/gm),
  ];
  expect(counted.map(([, thing, count]) => [thing, Number(count)])).toEqual(
    counted.map(([, thing, , files = ""]) => [thing, new Set(paths(files)).size]),
  );
  expect(counted).toHaveLength(5);
});

it("CONTRIBUTING.md lists the rooms, and no others", () => {
  const [, block = ""] = /```\n(src\/kit[\s\S]*?)```/.exec(TEXT) ?? [];
  const listed = [...block.matchAll(/^src\/(\w+)\//gm)].map(([, room]) => room);
  const all = Object.keys(rooms.MAY_IMPORT).map((room) => room.split("/")[0]);
  expect(listed).toEqual([...new Set(all)].filter((room) => room !== "."));
});

it("CONTRIBUTING.md names what .ci/run runs", () => {
  const [, row = ""] = /^\| `\.ci\/run` \|(.*)$/m.exec(TEXT) ?? [];
  const run = [...readFileSync(".ci/run", "utf8").matchAll(/npm run ([\w:]+)$/gm)];
  expect(run.length).toBeGreaterThan(5);
  expect(
    run.map(([, script]) => script).filter((script) => !row.includes(`\`${script}\``)),
  ).toEqual([]);
});
