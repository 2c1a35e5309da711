/**
 * Makes a picture of what is on a terminal:
 * tmux capture-pane -e -p | node scripts/frame-to-svg.mjs [--title TEXT] [--background dark|light] [--columns N] [FILE]
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { frameSvg } from "./terminal-svg/frame-svg.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    title: { type: "string", default: "" },
    background: { type: "string", default: "dark" },
    columns: { type: "string", default: "1" },
  },
});
if (!["dark", "light"].includes(values.background)) throw new Error("--background is dark or light");
const frame = readFileSync(positionals[0] ?? 0, "utf8");
process.stdout.write(frameSvg(frame, { ...values, columns: Number(values.columns) }));
