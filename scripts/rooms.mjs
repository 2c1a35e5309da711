/** The rooms of `src`, and the imports between them: for test/rooms.test.ts and `npm run proportion`. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The rooms of `src`, from the top down, and the rooms above that each may import. `kit` is every
 * room of kit, `tasks/` only the files of tasks itself, and `-` excludes a room. To add a room, add a line.
 */
export const MAY_IMPORT = {
  "kit/text": "",
  "kit/process": "kit",
  "kit/net": "kit",
  "kit/crypto": "kit",
  "kit/files": "kit",
  model: "kit",
  "model/reads": "kit model",
  signing: "kit model",
  formats: "kit model",
  store: "kit model",
  "store/schema": "kit model store",
  "store/bytes": "kit model store",
  "store/edits": "kit model store",
  "store/file": "kit store",
  "store/memory": "kit store",
  etcd: "kit model store -store/file",
  service: "kit model store",
  "server/limits": "kit model signing",
  "server/wire": "kit model",
  "server/api": "kit model signing service server",
  "server/metrics": "kit model store server",
  server: "model signing service server",
  client: "kit model signing",
  tasks: "kit",
  "tasks/files": "kit tasks/",
  "tasks/settings": "kit model tasks/ tasks/files",
  "tasks/data": "kit model store etcd tasks/ tasks/files tasks/settings",
  "tasks/sources": "kit model store service client tasks/ tasks/settings tasks/data",
  "tasks/selection": "kit model tasks/ tasks/sources",
  "tasks/run":
    "kit model client formats tasks/ tasks/files tasks/settings tasks/sources tasks/selection",
  "tasks/transfer": "kit model store formats tasks/ tasks/settings tasks/sources tasks/selection",
  "tasks/doctor":
    "kit model signing store client tasks/ tasks/files tasks/settings tasks/data tasks/sources",
  "tui/text": "kit",
  "tui/widgets": "tui/text",
  "tui/state": "kit model formats tui/text tui/widgets",
  "tui/table": "kit model formats tui/text tui/widgets tui/state",
  "tui/reading": "kit model tui/text tui/state tui/table",
  "tui/stack": "model tui/text tui/widgets tui/state tui/table",
  "tui/view": "kit model tui/text tui/widgets tui/state tui/table tui/stack",
  "tui/edit": "kit model tui/text tui/state tui/table tui/reading tui/stack tui/view",
  "tui/screens":
    "kit model tui/text tui/widgets tui/state tui/table tui/reading tui/stack tui/view tui/edit",
  "tui/commands":
    "kit model formats tui/text tui/widgets tui/state tui/table tui/reading tui/stack tui/view tui/edit tui/screens",
  "tui/program":
    "kit tui/text tui/widgets tui/state tui/table tui/reading tui/stack tui/view tui/screens",
  "tui/terminal": "tui/widgets tui/text",
  tui: "tui",
  "tui/adapters":
    "kit model store service client formats tasks tui/text tui/state tui/commands tui/terminal",
  "cli/output": "kit model store tasks",
  "cli/arguments": "kit model tasks cli/output",
  "cli/completion": "kit model store tasks cli/output cli/arguments",
  "cli/commands": "kit model formats store/edits store/schema tasks cli",
  cli: "kit tasks cli",
  library: "kit model store service server client tasks",
  ".": "kit model signing server client library",
};

/**
 * Commands that put together a server, the terminal interface or a signature, and the rooms that
 * only they may import.
 */
const EXCEPTIONS = {
  "cli/commands/serve/": "signing store service server",
  "cli/commands/read/tui.ts": "tui",
};

const ROOMS = Object.keys(MAY_IMPORT);
const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));
/** Imports of modules: data is in no room. */
const SPECIFIERS = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+\.js)"/g;

/** The modules of `src`, such as `store/data.ts`. */
export const MODULES = readdirSync(SOURCES, { recursive: true })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll("\\", "/"));

const IMPORTS = new Map(MODULES.map((path) => [path, readImports(path)]));

/** The modules that a module imports, such as `store/data.js`. */
export function importsOf(path) {
  return IMPORTS.get(path);
}

function readImports(path) {
  const text = readFileSync(join(SOURCES, path), "utf8");
  return [...text.matchAll(SPECIFIERS)].map(([, specifier]) => join(dirname(path), specifier));
}

/** The first two folders of a module; the folders below belong to the same room. */
export function roomOf(path) {
  return dirname(path).split("/").slice(0, 2).join("/");
}

/** The imports that leave a room, as `from.ts -> to.js`. */
export function arrowsFrom(room) {
  return MODULES.filter((path) => roomOf(path) === room).flatMap((path) =>
    importsOf(path)
      .filter((to) => roomOf(to) !== room)
      .map((to) => ({ text: `${path} -> ${to}`, path, to: roomOf(to) })),
  );
}

/** The imports of a room that {@link MAY_IMPORT} does not allow. */
export function forbiddenArrows(room) {
  const above = ROOMS.slice(0, ROOMS.indexOf(room));
  return arrowsFrom(room).flatMap(({ text, path, to }) => {
    const allowed = allowedFor(path, room);
    const isListed = allowed.some((each) => [to, `${to}/`, to.split("/")[0]].includes(each));
    const isExcepted = allowed.includes(`-${to}`);
    return isListed && !isExcepted && above.includes(to) ? [] : [text];
  });
}

function allowedFor(path, room) {
  const [, more = ""] = Object.entries(EXCEPTIONS).find(([start]) => path.startsWith(start)) ?? [];
  return `${MAY_IMPORT[room]} ${more}`.split(" ");
}

/** The imports of rooms that the table does not allow. */
export function arrowsUp() {
  return ROOMS.flatMap(forbiddenArrows);
}

/** Groups of rooms each of which imports the others, directly or not. */
export function circles() {
  const reached = new Map(ROOMS.map((room) => [room, reachedFrom(room)]));
  const together = (a, b) => reached.get(a).has(b) && reached.get(b).has(a);
  const groups = ROOMS.map((room) => ROOMS.filter((other) => together(room, other)).join(", "));
  return [...new Set(groups)].filter(Boolean);
}

function reachedFrom(room, reached = new Set()) {
  for (const { to } of arrowsFrom(room)) {
    if (reached.has(to) || !(to in MAY_IMPORT)) continue;
    reached.add(to);
    reachedFrom(to, reached);
  }
  return reached;
}
