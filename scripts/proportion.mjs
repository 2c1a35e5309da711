/**
 * Prints the size of the code, and how much of it runs for everyday tasks, beside the goal for each:
 * `npm run proportion`. Fails if a figure is above its limit: the goal, or until it is reached the
 * figure that was reached last, which only ever goes down. With --list, also prints what the figures
 * count: imports, circles, files and functions.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { charactersOf, meanLineLength } from "./code-size.mjs";
import { runTasks } from "./functions-that-run.mjs";
import { arrowsUp, circles } from "./rooms.mjs";

const root = new URL("../", import.meta.url);

/** The limits of figures that are above their goals. */
const LIMITS = { "characters in a line, mean": 37.2 };

/** What is counted, with the figure, its goal, and the items that it counts. */
const figures = [...size(), ...rooms(), ...running(await runTasks()), ...packages()];
print("", "now", "limit", "goal");
for (const { name, figure, goal, items = [] } of figures) {
  const limit = LIMITS[name] ?? goal;
  print(`${figure > limit ? "! " : "  "}${name}`, ...[figure, limit, goal].map(inText));
  if (process.argv.includes("--list")) for (const item of items) print(`    ${item}`);
}
const above = figures.filter(({ name, figure, goal }) => figure > (LIMITS[name] ?? goal));
if (above.length > 0) print(`\n${above.length} of ${figures.length} figures are above their limit`);
process.exitCode = above.length > 0 ? 1 : 0;

/** Characters are without indentation. The terminal interface is left out, except in the mean. */
function size() {
  return [
    { name: "characters of src", figure: charactersOf(), goal: 1_000_000 },
    { name: "characters of src/cli", figure: charactersOf("cli/"), goal: 240_000 },
    { name: "characters of src/tasks", figure: charactersOf("tasks/"), goal: 190_000 },
    { name: "characters in a line, mean", figure: meanLineLength(), goal: 36 },
  ];
}

function rooms() {
  return [
    { name: "imports that point up", items: arrowsUp() },
    { name: "circles of rooms", items: circles() },
  ].map((counted) => ({ ...counted, figure: counted.items.length, goal: 0 }));
}

/** @param tasks from `runTasks` */
function running(tasks) {
  const goals = {
    "get from a file": [28, 110],
    "get from a server": [30, 120],
    set: [36, 180],
    "one request": [15, 75],
  };
  return Object.entries(goals).flatMap(([name, [files, functions]]) => {
    const counted = tasks[name];
    const list = listOf(counted);
    return [
      { name: `files that run for ${name}`, figure: list.length, goal: files, items: list },
      { name: `functions that run for ${name}`, figure: counted.length, goal: functions },
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
    { name: "bundled packages", figure: bundled.length, goal: 30, items: bundled },
    { name: "peer dependencies", figure: peers.length, goal: 0, items: peers },
  ];
}

function inText(figure) {
  return figure.toLocaleString("en", { maximumFractionDigits: 1 });
}

function print(name, ...columns) {
  const cells = columns.map((column) => column.padStart(12)).join("");
  process.stdout.write(`${name.padEnd(44)}${cells}`.trimEnd().concat("\n"));
}
