import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

/**
 * The rooms of `src`, and which of those above it each may import: `*` is all. To add a room, add a
 * line.
 */
const MAY_IMPORT: Record<string, string> = {
  "kit/text": "",
  "kit/net": "kit",
  "kit/crypto": "kit",
  "kit/files": "kit",
  "kit/process": "kit",
  model: "kit",
  signing: "kit model",
  formats: "kit model",
  store: "kit model",
  "store/schema": "kit model store",
  "store/edits": "kit model store store/schema",
  "store/file": "kit model store store/schema store/edits",
  "store/memory": "kit model store store/schema store/edits",
  etcd: "kit model store store/schema store/edits store/file",
  service: "kit model store store/schema",
  server: "kit model signing service",
  metrics: "kit model store server",
  client: "kit model signing",
  tasks: "",
  "tasks/settings": "kit model etcd client tasks",
  "tasks/data": "kit model store etcd client tasks tasks/settings",
  "tasks/sources": "kit model store service client formats tasks tasks/settings tasks/data",
  "tasks/selection": "kit model tasks tasks/sources",
  "tasks/run":
    "kit model client formats tasks tasks/settings tasks/data tasks/sources tasks/selection",
  "tasks/transfer":
    "kit model store formats tasks tasks/run tasks/settings tasks/data tasks/sources tasks/selection",
  "tasks/doctor":
    "kit model signing store etcd client tasks tasks/settings tasks/data tasks/sources tasks/selection",
  "tui/text": "kit model",
  "tui/widgets": "tui/text",
  "tui/state": "kit model formats tui/widgets tui/text",
  "tui/reading": "kit model formats tui/state tui/widgets tui/text",
  "tui/view": "kit model tui/reading tui/state tui/widgets tui/text",
  "tui/edit": "kit model tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/screens": "kit model tui/edit tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/commands":
    "kit model formats tui/screens tui/edit tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/program":
    "kit model tui/commands tui/screens tui/edit tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/terminal": "tui/widgets tui/text",
  tui: "tui",
  "tui/ports": "kit model store etcd service client formats tasks tui",
  "cli/output": "kit model",
  "cli/arguments": "kit model client tasks cli/output",
  "cli/completion": "kit model store tasks cli/output cli/arguments",
  "cli/commands": "*",
  cli: "*",
  ".": "kit model signing formats store service server client tasks",
};

/** Of modules: data is in no room. */
const SPECIFIERS = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+\.js)"/g;
const SOURCES = join(import.meta.dirname, "../src");
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.tsx?$/.test(path),
);

const rooms = Object.keys(MAY_IMPORT);

it.each(Object.entries(MAY_IMPORT))("%s imports only the allowed rooms: %s", (room, allowed) => {
  const above = rooms.slice(0, rooms.indexOf(room));
  const names = allowed.split(" ");
  const mayImport = (to: string) =>
    to === room ||
    (above.includes(to) &&
      (allowed === "*" || names.includes(to) || names.includes(to.split("/")[0] ?? "")));
  const arrows = files
    .filter((file) => roomOf(file) === room)
    .flatMap((file) => importsOf(file).map((to) => `${file} -> ${to}`));
  expect(arrows.filter((arrow) => !mayImport(roomOf(arrow.split(" -> ")[1] ?? "")))).toEqual([]);
});

it("every room of src is in the table", () => {
  expect(files.map(roomOf).filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCES, file), "utf8");
  return [...text.matchAll(SPECIFIERS)].map(([, specifier = ""]) => join(dirname(file), specifier));
}

/** The first two folders in `src`; those below belong to the same room. */
function roomOf(file: string): string {
  return dirname(file).split("/").slice(0, 2).join("/");
}
