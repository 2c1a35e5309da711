import { expect, it } from "vitest";
// @ts-expect-error: scripts have no types
import * as rooms from "../scripts/rooms.mjs";

const { MAY_IMPORT, MODULES, arrowsFrom, circles, forbiddenArrows, importsOf, roomOf } = rooms as {
  MAY_IMPORT: Record<string, string>;
  MODULES: string[];
  arrowsFrom(room: string): { to: string }[];
  circles(): string[];
  forbiddenArrows(room: string): string[];
  importsOf(path: string): string[];
  roomOf(path: string): string;
};

it.each(Object.entries(MAY_IMPORT))("%s imports only the allowed rooms: %s", (room) => {
  expect(forbiddenArrows(room)).toEqual([]);
});

it.each(Object.entries(MAY_IMPORT))("%s imports each of the allowed rooms: %s", (room, allowed) => {
  const imported = new Set(arrowsFrom(room).flatMap(({ to }) => [to, `${to}/`, to.split("/")[0]]));
  const names = allowed.split(" ").filter((each) => each !== "" && !each.startsWith("-"));
  expect(names.filter((each) => !imported.has(each))).toEqual([]);
});

it("a store in etcd needs no data file", () => {
  expect(arrowsFrom("etcd").filter(({ to }) => to === "store/file")).toEqual([]);
});

it("no rooms import each other", () => {
  expect(circles()).toEqual([]);
});

it("every room of src is in the table", () => {
  expect(MODULES.map(roomOf).filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

it("a file of kit is used in two rooms, or in kit", () => {
  const usersOf = (path: string) =>
    MODULES.filter((other) => importsOf(other).includes(path.replace(/\.ts$/, ".js"))).map(roomOf);
  const isShared = (users: readonly string[]) =>
    new Set(users).size > 1 || users.some((room) => room.startsWith("kit/"));
  const inKit = MODULES.filter((path) => path.startsWith("kit/"));
  expect(inKit.filter((path) => !isShared(usersOf(path)))).toEqual([]);
});

it("no file is in kit itself", () => {
  expect(MODULES.filter((path) => roomOf(path) === "kit")).toEqual([]);
});
