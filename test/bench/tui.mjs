/**
 * How long a person waits for `appvars tui`: from its start to the first variables, with a small
 * data file and with one of 100,000 variables; to the first and to all of them over HTTP; from a
 * key to the repainted screen, in the list and in the matrix of three environments; the memory that
 * it takes; and the time to compare two values of a megabyte. For Linux: it needs `script` of
 * util-linux, and /proc. `npm run bench:tui` builds first. Another full-screen program that takes
 * `--data FILE --env NAME` can be given: node test/bench/tui.mjs PROGRAM ARGUMENT...
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { differenceLines } from "../../build/tui/edit/variable-diff.js";
import { bigData, bigName, ENVIRONMENTS } from "../support/big-data.mjs";
import { PtyProgram } from "./pty-program.mjs";
import { APPVARS, ServerProcess } from "./shared/server-process.mjs";
import { median, quantile, ratios } from "./shared/statistics.mjs";

const GIVEN = process.argv.slice(2);
const PROGRAM = GIVEN.length > 0 ? GIVEN : [process.execPath, APPVARS, "tui"];
const SIZE = { columns: 200, rows: 60, env: { COLORTERM: "truecolor" } };
/** The environments of the data files. */
const PLACES = [...ENVIRONMENTS, "development"];
const STARTS = 7;
const ROUNDS = 8;
const DIFFS = 7;
const SMALL = 20;
const LARGE = 100_000;
/** Characters of a text or JSON value. */
const VALUE_LENGTH = 30;
const REMOTE_STARTS = 3;
/** The header, row 0, is updated every second and does not respond to keys. */
const counts = (row) => row !== 0;
const QUIET_MS = 60;

const KEYS = { pagedown: "\x1b[6~", pageup: "\x1b[5~", escape: "\x1b", backspace: "\x7f" };
/** One round of keys, each of which changes the screen; those after `/` are letters of a filter. */
const ROUND = [
  ..."jjjjjjjj",
  ...["pagedown", "pagedown", "pagedown", "pagedown", "pageup", "pageup"],
  ..."kkkk",
  ..."Gkgjj",
  ..."sss",
  ..."ttttt",
  ..."vv",
  ...[
    "/",
    "filter l",
    "filter o",
    "filter g",
    "filter i",
    "backspace",
    "backspace",
    "filter c",
    "escape",
  ],
  ...["?", "escape"],
];

/** The same in the matrix, which starts with the open environment, the second of three. */
const MATRIX_ROUND = [
  ..."jjjjlhhl",
  ...["pagedown", "pagedown", "pageup"],
  ..."Gkgnnn",
  ..."NN",
  ..."ttt",
  ..."vv",
  ...["/", "filter l", "filter o", "filter g", "filter i", "backspace", "escape"],
];

// Other load affects the figures: compare them on an idle machine only.
console.log(`${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`);
const folder = mkdtempSync(join(tmpdir(), "appvars-bench-"));
try {
  const small = dataFile("small.json", SMALL);
  const large = dataFile("large.json", LARGE);
  const [, env] = ENVIRONMENTS;
  const options = (file) => ["--data", file, "--env", env];
  const parse = "JSON.parse(fs.readFileSync(process.argv[1])); console.log('shown')";
  await reportStarts({
    "bare node": { command: [process.execPath, "-e", "console.log('shown')"], shown: /shown/ },
    [`${SMALL} variables, ${small.size}`]: {
      command: [...PROGRAM, ...options(small.path)],
      shown: new RegExp(bigName(0)),
    },
    "bare node, JSON.parse": {
      command: [process.execPath, "-e", parse, large.path],
      shown: /shown/,
    },
    [`${LARGE} variables, ${large.size}`]: {
      command: [...PROGRAM, ...options(large.path)],
      shown: new RegExp(bigName(0)),
    },
  });
  if (GIVEN.length === 0) await reportRemote(large, env);
  if (GIVEN.length === 0) reportDiffs();
  await reportKeys([...PROGRAM, ...options(large.path)], `${LARGE} variables, ${large.size}`);
} finally {
  rmSync(folder, { recursive: true });
}

function dataFile(name, count) {
  const path = join(folder, name);
  const text = JSON.stringify(bigData(count, VALUE_LENGTH, PLACES));
  writeFileSync(path, text, { mode: 0o600 });
  return {
    path,
    size:
      text.length < 1e6
        ? `${(text.length / 1e3).toFixed(1)} kB`
        : `${(text.length / 1e6).toFixed(1)} MB`,
  };
}

/**
 * Medians of runs that take turns, so that other load of the machine does not change the ratios.
 */
async function reportStarts(programs) {
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  // The first round warms up caches and is not counted.
  for (let round = 0; round <= STARTS; round++) {
    for (const [name, { command, shown }] of Object.entries(programs)) {
      const program = new PtyProgram(command, SIZE);
      const shownAt = await program.until(shown);
      if (round > 0) times[name].push(shownAt - program.startedAt);
      await program.stop();
    }
  }
  table(`start to first rows, ms (${STARTS} starts)`, ["best", "median", "worst", "/ bare node"]);
  const bare = quantile(times["bare node"], 0.5);
  for (const [name, list] of Object.entries(times)) {
    row(
      name,
      [Math.min(...list), quantile(list, 0.5), Math.max(...list)],
      [(quantile(list, 0.5) / bare).toFixed(1)],
    );
  }
}

/**
 * The same variables from a server on this machine: how soon there is something, and how soon all
 * of it.
 */
async function reportRemote({ path, size }, env) {
  const server = ServerProcess.serve(path);
  const { api_key, api_secret } = bigData(0).environments.find(({ name }) => name === env);
  const times = { "first rows": [], "all read": [] };
  try {
    const credentials = {
      APPVARS_URL: await server.url(),
      APPVARS_API_KEY: api_key,
      APPVARS_API_SECRET: api_secret,
    };
    // The first start warms up the server and is not counted.
    for (let start = 0; start <= REMOTE_STARTS; start++) {
      const program = new PtyProgram(PROGRAM, { ...SIZE, env: { ...SIZE.env, ...credentials } });
      const [first, all] = await Promise.all([
        program.until(new RegExp(bigName(0))),
        program.until(new RegExp(`${LARGE.toLocaleString("en")} variables`)),
      ]);
      if (start > 0) times["first rows"].push(first - program.startedAt);
      if (start > 0) times["all read"].push(all - program.startedAt);
      await program.stop();
    }
  } finally {
    await server.stop();
  }
  table(`over HTTP, ${LARGE} variables, ${size}, ms`, ["best", "median", "worst"]);
  for (const [name, list] of Object.entries(times)) {
    row(name, [Math.min(...list), quantile(list, 0.5), Math.max(...list)]);
  }
}

/**
 * From two values of a megabyte to the first lines of their diff, as their first comparison in a
 * program.
 */
function reportDiffs() {
  table(`diff of two values of 1 MB, ms (${DIFFS} times)`, ["best", "median", "worst", "/ split"]);
  for (const [name, sides] of Object.entries(longValues())) {
    const times = { diff: [], split: [] };
    for (let round = 0; round < DIFFS; round++) {
      const { before, after } = structuredClone(sides);
      times.split.push(timeOf(() => [before, after].map(({ value }) => value.split("\n").length)));
      times.diff.push(
        timeOf(() => differenceLines({ before, after }, true, 100).lines.slice(0, 40)),
      );
    }
    const ratio = median(ratios(times.diff, times.split)).toFixed(1);
    row(name, [Math.min(...times.diff), median(times.diff), Math.max(...times.diff)], [ratio]);
  }
}

/** Pairs of texts that are hard to compare, in different ways. */
function longValues() {
  const lines = (text) => Array.from({ length: 50_000 }, (_, index) => text(index).padEnd(19, "."));
  const numbered = lines((index) => `line ${index}`);
  const pair = (before, after) => {
    const sides = { before: before.join("\n"), after: after.join("\n") };
    return Object.fromEntries(
      Object.entries(sides).map(([side, value]) => [
        side,
        { type: "STRING", description: "", value },
      ]),
    );
  };
  const words = (text) => [
    numbered
      .map((_, index) => `${text}${index}`)
      .join(" ")
      .padEnd(1e6, "."),
  ];
  return {
    "equal but for the last line": pair(numbered, [...numbered.slice(1), "end"]),
    "half of 50,000 lines changed": pair(
      numbered,
      numbered.map((text, index) => (index % 2 === 0 ? text : `other ${index}`)),
    ),
    "50,000 other lines": pair(
      numbered,
      lines((index) => `other ${index}`),
    ),
    "the same lines in another order": pair(numbered, numbered.toReversed()),
    "lines in no order": pair(
      lines((index) => `${(index * 7_919) % 101}`),
      lines((index) => `${(index * 104_729) % 103}`),
    ),
    "one line, the middle changed": pair(
      [`${"a".repeat(5e5)}1${"b".repeat(5e5)}`],
      [`${"a".repeat(5e5)}2${"b".repeat(5e5)}`],
    ),
    "one line, all words changed": pair(words("one"), words("two")),
    "one line in Cyrillic": pair(["Ж".repeat(1e6)], ["Я".repeat(1e6)]),
    "lines in Chinese": pair(
      lines((index) => `第${index}行的内容`),
      lines((index) => `第${index}行的文本`),
    ),
  };
}

function timeOf(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function reportKeys(command, title) {
  const program = new PtyProgram(command, SIZE);
  try {
    await program.until(new RegExp(bigName(0)));
    const idle = {
      loading: await program.writesIn(3_000, counts),
      ready: await program.writesIn(3_000, counts),
    };
    const memory = { "with the first rows": program.memory().now };
    const presses = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ROUND) presses.push(await press(program, name));
    }
    const afterwards = await program.writesIn(3_000, counts);
    printKeys(presses, title);
    console.log(`writes that no key asked for, in 3 s: ${idle.ready} before, ${afterwards} after`);
    memory["after the keys"] = program.memory().now;
    if (GIVEN.length === 0) await reportMatrix(program, title, memory);
    memory.peak = program.memory().peak;
    table("memory, MB", ["RSS"]);
    for (const [name, megabytes] of Object.entries(memory)) row(name, [megabytes]);
  } finally {
    await program.stop();
  }
}

async function reportMatrix(program, title, memory) {
  const opened = await program.press("gm", { quietMs: QUIET_MS, counts });
  memory["with the matrix"] = program.memory().now;
  const presses = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of MATRIX_ROUND) presses.push(await press(program, name));
  }
  printKeys(presses, `the matrix of ${PLACES.length} environments, ${title}`);
  console.log(`m to the whole matrix: ${opened.whole.toFixed(1)} ms`);
  memory["after keys in the matrix"] = program.memory().now;
}

async function press(program, name) {
  const keys = KEYS[name] ?? name.at(-1);
  return {
    name: name.replace(/^filter .$/, "filter letter"),
    ...(await program.press(keys, { quietMs: QUIET_MS, counts })),
  };
}

function printKeys(presses, title) {
  console.log(`\n${presses.length} keys with ${title}`);
  table("key to repaint, ms", ["median", "p99", "worst", "first p50", "count"]);
  const names = [...new Set(presses.map(({ name }) => name))];
  for (const name of [...names, "all"]) {
    const chosen = presses.filter((press) => name === "all" || press.name === name);
    const whole = chosen.map((press) => press.whole);
    const first = chosen.map((press) => press.first);
    row(
      name,
      [quantile(whole, 0.5), quantile(whole, 0.99), Math.max(...whole), quantile(first, 0.5)],
      [chosen.length],
    );
  }
}

function table(title, columns) {
  console.log(`\n${title.padEnd(40)}${columns.map((name) => name.padStart(12)).join("")}`);
}

function row(name, numbers, others = []) {
  const cells = [...numbers.map((number) => number.toFixed(1)), ...others];
  console.log(`${name.padEnd(40)}${cells.map((cell) => String(cell).padStart(12)).join("")}`);
}
