import type { ColorSupportLevel } from "chalk";
import type { Io, Output } from "./io.js";

type Style = (text: string) => string;

export interface Colors {
  bold: Style;
  dim: Style;
  green: Style;
  red: Style;
  yellow: Style;
}

const plain: Style = (text) => text;
const NO_COLORS: Colors = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };

/** The styles that fit a stream. chalk is loaded only where there is colour. */
export async function colorsFor(stream: Output, env: Io["env"], allowed: boolean): Promise<Colors> {
  const level = colorLevel(stream, env, allowed);
  if (level === 0) return NO_COLORS;
  const { Chalk } = await import("chalk");
  return new Chalk({ level });
}

/**
 * The colours that fit a stream. `--no-color` beats FORCE_COLOR, which beats NO_COLOR, which beats what the terminal
 * can do; what is no terminal gets none.
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

/** FORCE_COLOR as Node reads it: `0` or `false` for none, 1 to 3 for a level, anything else for the basic colours. */
function forcedLevel(value: string): ColorSupportLevel {
  if (value === "0" || value === "false") return 0;
  return value === "2" ? 2 : value === "3" ? 3 : 1;
}
