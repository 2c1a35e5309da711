/**
 * Takes the pictures of `appvars tui`, from the real program in tmux: docs/tui.svg for the README, and all others into a
 * folder. Build first: npm run build && node scripts/take-screenshots.mjs FOLDER [NAME...]
 * To look at them: rsvg-convert FOLDER/NAME.svg -o NAME.png
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SCENES } from "./screenshots/scenes.mjs";
import { README, SHOTS } from "./screenshots/shots.mjs";
import { Terminal } from "./screenshots/terminal.mjs";
import { frameSvg } from "./terminal-svg/frame-svg.mjs";

const [folder, ...names] = process.argv.slice(2);
if (!folder) throw new Error("say which folder the pictures go to");
const docs = fileURLToPath(new URL("../docs/", import.meta.url));
for (const path of [folder, docs]) mkdirSync(path, { recursive: true });
for (const shot of SHOTS.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const path = join(shot.name === README ? docs : folder, `${shot.name}.svg`);
  try {
    writeFileSync(path, await pictureOf(shot));
    process.stdout.write(`${path}\n`);
  } catch (error) {
    process.stderr.write(`${shot.name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function pictureOf({ scene = "local", args = "", title, background, env, steps, ...size }) {
  const terminal = new Terminal(env);
  try {
    const command = `${await SCENES[scene](terminal)} ${args}`.trimEnd();
    await terminal.open(command, size);
    for (const { until, keys, type, act } of steps) {
      await terminal.until(until);
      if (act) await act(terminal);
      if (type) await terminal.type(type);
      if (keys) await terminal.press(keys);
    }
    return frameSvg(withFixedTimes(await terminal.frame()), {
      title: title ?? command,
      background,
      columns: size.columns,
    });
  } finally {
    await terminal.close();
  }
}

/** How old the data is and how long values are shown, always the same. */
function withFixedTimes(frame) {
  return frame.replace(/\b\d s old/, "1 s old").replace(/values shown \d\d s/, "values shown 29 s");
}
