import type { ColorSupportLevel } from "chalk";
import type { Surroundings } from "../../tasks/surroundings.js";

export interface ColorStream {
  isTTY?: boolean;
  getColorDepth?: (env?: object) => number;
}

const plain = (text: string) => text;
const NO_COLORS = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };

export type Colors = typeof NO_COLORS;

/** The styles that a stream supports. chalk is loaded only if there are any. */
export async function colorsFor(
  stream: ColorStream,
  env: Surroundings["env"],
  allowed: boolean,
): Promise<Colors> {
  const level = colorLevel(stream, env, allowed);
  if (level === 0) return NO_COLORS;
  const { Chalk } = await import("chalk");
  return new Chalk({ level });
}

/**
 * The levels that FORCE_COLOR names, as in Node. Any other text is for the
 * basic colors.
 */
const FORCED_LEVELS: Record<string, ColorSupportLevel> = { "0": 0, false: 0, "2": 2, "3": 3 };

/**
 * The colors that a stream supports: by `--no-color`, or else FORCE_COLOR,
 * NO_COLOR and the terminal.
 */
export function colorLevel(
  stream: ColorStream,
  env: Surroundings["env"],
  allowed: boolean,
): ColorSupportLevel {
  if (!allowed) return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return FORCED_LEVELS[forced] ?? 1;
  if (env["NO_COLOR"] || !stream.isTTY) return 0;
  const depth = stream.getColorDepth?.(env) ?? 1;
  if (depth >= 24) return 3;
  if (depth >= 8) return 2;
  return depth >= 4 ? 1 : 0;
}
