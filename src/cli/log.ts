import { escapeControls } from "../domain/escape-controls.js";
import type { Colors } from "./colors.js";
import type { Output } from "./io.js";

export type LogFormat = "pretty" | "json";
type LogLevel = "info" | "warn" | "error";

/** Writes one line; no value and no secret may be in it. */
export type Log = (level: LogLevel, message: string) => void;

/** A log of lines for people, `12:00:01 message`, or for programs, `{"time", "level", "message"}`. */
export function createLog(stream: Output, format: LogFormat, clock: () => number, colors: Colors): Log {
  const paint = { info: (text: string) => text, warn: colors.yellow, error: colors.red };
  return (level, message) => {
    const time = new Date(clock()).toISOString();
    if (format === "json") stream.write(`${JSON.stringify({ time, level, message })}\n`);
    else stream.write(`${colors.dim(time.slice(11, 19))} ${paint[level](escapeControls(message))}\n`);
  };
}
