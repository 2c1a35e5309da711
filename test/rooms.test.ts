import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

/**
 * The rooms of `src`, and which of those above it each may import: `*` is all. To add a room, add a
 * line.
 */
const MAY_IMPORT: Record<string, string> = {
  domain: "",
  signing: "domain",
  formats: "domain",
  encryption: "domain",
  files: "domain encryption",
  store: "domain files encryption",
  http: "domain",
  etcd: "domain files encryption store http",
  service: "domain store",
  server: "domain signing service",
  metrics: "domain store server",
  cluster: "domain files store service server metrics",
  client: "domain signing files http",
  "tui/text": "domain",
  "tui/widgets": "tui/text",
  "tui/state": "domain formats tui/widgets tui/text",
  "tui/reading": "domain formats tui/state tui/widgets tui/text",
  "tui/view": "domain tui/reading tui/state tui/widgets tui/text",
  "tui/edit": "domain tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/screens": "domain tui/edit tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/commands":
    "domain formats tui/screens tui/edit tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/program":
    "domain tui/commands tui/screens tui/edit tui/view tui/reading tui/state tui/widgets tui/text",
  "tui/terminal": "tui/widgets tui/text",
  tui: "tui/terminal tui/program tui/reading tui/state tui/text",
  "cli/output": "domain",
  "cli/exits": "domain files cli/output",
  "cli/children": "domain files cli/output cli/exits",
  "cli/settings": "domain files etcd http client cli/output",
  "cli/editing": "domain files store etcd client cli/output cli/exits cli/settings",
  "cli/reading":
    "domain files store service client encryption formats cli/output cli/exits cli/children cli/settings cli/editing",
  "cli/selection": "domain cli/output cli/reading",
  "cli/run":
    "domain files client formats cli/output cli/exits cli/children cli/settings cli/editing cli/reading cli/selection",
  "cli/transfer":
    "domain files store formats cli/output cli/run cli/settings cli/editing cli/reading cli/selection",
  "cli/tui":
    "domain files store etcd service encryption formats tui/commands tui/state tui/terminal tui/text cli/output cli/exits cli/children cli/settings cli/editing cli/reading cli/selection cli/transfer",
  "cli/doctor":
    "domain signing files store etcd http client cli/output cli/exits cli/children cli/settings cli/editing cli/reading cli/selection",
  "cli/completion": "domain store cli/output cli/settings cli/editing cli/reading cli/selection",
  "cli/commands": "*",
  cli: "*",
  ".": "domain signing formats encryption files store service server client cli",
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
  const importable = [
    room,
    ...(allowed === "*" ? above : allowed.split(" ").filter((each) => above.includes(each))),
  ];
  const arrows = files
    .filter((file) => roomOf(file) === room)
    .flatMap((file) => importsOf(file).map((to) => [file, to]));
  expect(arrows.filter(([, to = ""]) => !importable.includes(roomOf(to)))).toEqual([]);
});

it("every room of src is in the table", () => {
  expect(files.map(roomOf).filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCES, file), "utf8");
  return [...text.matchAll(SPECIFIERS)].map(([, specifier = ""]) => join(dirname(file), specifier));
}

/** The folder in `src`; its subfolders belong to the same room. */
function roomOf(file: string): string {
  const [first = "", second = ""] = dirname(file).split("/");
  return ["cli", "tui"].includes(first) && second ? `${first}/${second}` : first;
}
