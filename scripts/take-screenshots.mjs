/**
 * Takes the pictures of `appvars tui`, from the real program in tmux: docs/tui.svg for the README, and all others into a
 * folder. Build first: npm run build && node scripts/take-screenshots.mjs FOLDER [NAME...]
 * To look at them: rsvg-convert FOLDER/NAME.svg -o NAME.png
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { frameSvg } from "./terminal-svg/frame-svg.mjs";

const README = "tui";
const COMMAND = "appvars tui --data vars.json --env shop/development";
const LOADED = /DATABASE_URL/;
const TIMEOUT_MS = 20_000;

/**
 * Each step waits until the screen is like `until`, and then presses keys by their names in tmux, or types text. The
 * picture is taken when the screen is like the last `until`.
 */
const SHOTS = [
  { name: README, columns: 120, rows: 30, steps: [{ until: LOADED, keys: ["j"] }, { until: /PORT/ }] },
  { name: "small", columns: 60, rows: 15, steps: [{ until: LOADED }] },
  { name: "large", columns: 200, rows: 60, steps: [{ until: LOADED }] },
  { name: "light", columns: 120, rows: 30, background: "light", steps: [{ until: LOADED }] },
  { name: "no-color", columns: 120, rows: 30, env: { NO_COLOR: "1" }, steps: [{ until: LOADED }] },
  { name: "help", columns: 120, rows: 30, steps: [{ until: LOADED, keys: ["?"] }, { until: /Move/ }] },
  {
    name: "filter",
    columns: 120,
    rows: 30,
    steps: [{ until: LOADED, keys: ["/"] }, { until: LOADED, type: "url" }, { until: /url/ }],
  },
];

const [folder, ...names] = process.argv.slice(2);
if (!folder) throw new Error("say which folder the pictures go to");
const docs = fileURLToPath(new URL("../docs/", import.meta.url));
for (const path of [folder, docs]) mkdirSync(path, { recursive: true });
for (const shot of SHOTS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const path = join(shot.name === README ? docs : folder, `${shot.name}.svg`);
  writeFileSync(path, await pictureOf(shot));
  process.stdout.write(`${path}\n`);
}

async function pictureOf({ name, columns, rows, background, env, steps }) {
  const home = mkdtempSync(join(tmpdir(), "appvars-screenshot-"));
  const tmux = tmuxIn(home, env);
  try {
    prepare(home);
    const settings = { status: "off", "default-terminal": "tmux-256color", "remain-on-exit": "on" };
    const sets = Object.entries(settings).flatMap(([option, value]) => ["set", "-g", option, value, ";"]);
    const size = ["-x", String(columns), "-y", String(rows)];
    tmux("start-server", ";", ...sets, "new-session", "-d", ...size, "-c", home, "sh", "-c", COMMAND);
    for (const { until, keys = [], type } of steps) {
      await waitFor(() => tmux("capture-pane", "-p"), until, name);
      if (type) tmux("send-keys", "-l", "--", type);
      if (keys.length > 0) tmux("send-keys", "--", ...keys);
    }
    return frameSvg(tmux("capture-pane", "-e", "-p"), { title: COMMAND, background, columns });
  } finally {
    tmux("kill-server");
    rmSync(home, { recursive: true });
  }
}

/** Nothing of this process's environment but the path to programs, with the built command on it. */
function tmuxIn(home, env) {
  const path = `${home}${delimiter}${process.env.PATH}`;
  const whole = { PATH: path, HOME: home, LANG: "C.UTF-8", COLORTERM: "truecolor", ...env, TMUX_TMPDIR: home };
  return (...args) =>
    execFileSync("tmux", ["-u", "-L", "shot", "-f", "/dev/null", ...args], { env: whole, encoding: "utf8" });
}

function prepare(home) {
  copyFileSync(fileURLToPath(new URL("../data/example.json", import.meta.url)), join(home, "vars.json"));
  chmodSync(join(home, "vars.json"), 0o600);
  const binary = fileURLToPath(new URL("../bin/appvars.cjs", import.meta.url));
  writeFileSync(join(home, "appvars"), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`, { mode: 0o755 });
}

async function waitFor(look, pattern, name) {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let screen = look(); !pattern.test(screen); screen = look()) {
    if (performance.now() > deadline)
      throw new Error(`${name}: ${pattern} did not come to be on the screen:\n${screen}`);
    await delay(50);
  }
}
