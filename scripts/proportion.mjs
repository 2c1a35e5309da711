/**
 * Prints the size of the code, and how much of it runs for everyday tasks,
 * beside the limit for each: `npm run proportion`. Fails if a figure is above its
 * limit. With --list, also prints what the figures count: imports, circles, files
 * and functions.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { charactersOf, meanLineLength } from "./code-size.mjs";
import { runTasks } from "./functions-that-run.mjs";
import { arrowsUp, circles } from "./rooms.mjs";

const root = new URL("../", import.meta.url);

/** What is counted, with the figure, its limit, and the items that it counts. */
const figures = [...size(), ...rooms(), ...running(await runTasks()), ...packages()];
print("", "now", "limit");
for (const { name, figure, limit, items = [] } of figures) {
  print(`${figure > limit ? "! " : "  "}${name}`, ...[figure, limit].map(inText));
  if (process.argv.includes("--list")) for (const item of items) print(`    ${item}`);
}
const above = figures.filter(({ figure, limit }) => figure > limit);
if (above.length > 0) print(`\n${above.length} of ${figures.length} figures are above their limit`);
process.exitCode = above.length > 0 ? 1 : 0;

/** Characters are without indentation. The first figure leaves the terminal interface out. */
function size() {
  return [
    { name: "characters of src", figure: charactersOf(), limit: 1_000_000 },
    { name: "characters of src/cli", figure: charactersOf("cli/"), limit: 240_000 },
    { name: "characters of src/tasks", figure: charactersOf("tasks/"), limit: 190_000 },
    { name: "characters of src/tui", figure: charactersOf("tui/"), limit: 417_000 },
    { name: "characters in a line, mean", figure: meanLineLength(), limit: 36 },
  ];
}

function rooms() {
  return [
    { name: "imports that point up", items: arrowsUp() },
    { name: "circles of rooms", items: circles() },
  ].map((counted) => ({ ...counted, figure: counted.items.length, limit: 0 }));
}

/** @param tasks from `runTasks` */
function running(tasks) {
  const limits = {
    "get from a file": [28, 110],
    "get from a server": [30, 120],
    set: [36, 180],
    "one request": [15, 75],
  };
  return Object.entries(limits).flatMap(([name, [files, functions]]) => {
    const counted = tasks[name];
    const list = listOf(counted);
    return [
      { name: `files that run for ${name}`, figure: list.length, limit: files, items: list },
      { name: `functions that run for ${name}`, figure: counted.length, limit: functions },
    ];
  });
}

/** One line for each file, with its functions. */
function listOf(functions) {
  const byFile = new Map();
  for (const { file, name } of functions) byFile.set(file, [...(byFile.get(file) ?? []), name]);
  return [...byFile].map(([file, names]) => `${file}: ${names.join(", ")}`);
}

function packages() {
  const licenses = readFileSync(new URL("dist/cli/LICENSES.md", root), "utf8");
  const bundled = [...licenses.matchAll(/^# (.*)$/gm)].map(([, name]) => name);
  const { peerDependencies = {} } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  const peers = Object.keys(peerDependencies);
  return [
    { name: "bundled packages", figure: bundled.length, limit: 30, items: bundled },
    { name: "peer dependencies", figure: peers.length, limit: 0, items: peers },
  ];
}

function inText(figure) {
  return figure.toLocaleString("en", { maximumFractionDigits: 1 });
}

function print(name, ...columns) {
  const cells = columns.map((column) => column.padStart(12)).join("");
  process.stdout.write(`${name.padEnd(44)}${cells}`.trimEnd().concat("\n"));
}
