import type { ColorSupportLevel } from "chalk";
import type { Io, Output } from "./io.js";

const plain = (text: string) => text;
const NO_COLORS = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };

export type Colors = typeof NO_COLORS;

/** The styles that a stream supports. chalk is loaded only if there are any. */
export async function colorsFor(stream: Output, env: Io["env"], allowed: boolean): Promise<Colors> {
  const level = colorLevel(stream, env, allowed);
  if (level === 0) return NO_COLORS;
  const { Chalk } = await import("chalk");
  return new Chalk({ level });
}

/**
 * The colors that a stream supports. `--no-color` overrides FORCE_COLOR, which overrides NO_COLOR, which overrides
 * what the terminal can do; a stream that is not a terminal gets none.
 */
export function colorLevel(stream: Output, env: Io["env"], allowed: boolean): ColorSupportLevel {
  if (!allowed) return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forcedLevel(forced);
  if (env["NO_COLOR"] || !stream.isTTY) return 0;
  const depth = stream.getColorDepth?.(env) ?? 1;
  if (depth >= 24) return 3;
  if (depth >= 8) return 2;
  return depth >= 4 ? 1 : 0;
}

/** Like Node: `0` or `false` for none, 1 to 3 for a level, anything else for the basic colors. */
function forcedLevel(value: string): ColorSupportLevel {
  if (value === "0" || value === "false") return 0;
  return value === "2" ? 2 : value === "3" ? 3 : 1;
}
