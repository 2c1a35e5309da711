import { valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { firstOf, loneSurrogate, nul, type Refusal, refuse } from "./refuse.js";

/** Go's bufio.MaxScanTokenSize, in bytes; the newline has to fit too. */
const MAX_LINE = 64 * 1024;

const newline: Refusal = ({ value }) =>
  valueText(value).includes("\n") ? "its value holds a newline, and docker reads one line a variable" : undefined;

const lastCarriageReturn: Refusal = ({ value }) =>
  valueText(value).endsWith("\r") ? "its value ends in a carriage return, which docker drops" : undefined;

const tooLong: Refusal = (entry) =>
  Buffer.byteLength(line(entry)) > MAX_LINE ? "its line is longer than docker's limit of 64 KiB" : undefined;

/**
 * `NAME=value` lines for `docker run --env-file`: everything after the first `=` is the value as it is, quotes, `#` and
 * blanks at the ends included (docker/cli, pkg/kvfile). Docker Compose reads another format: give it dotenv.
 */
export function writeDocker(entries: readonly Entry[]): string {
  refuse("docker", entries, firstOf(nul, newline, lastCarriageReturn, loneSurrogate, tooLong));
  return entries.map(line).join("");
}

function line({ name, value }: Entry): string {
  return `${name}=${valueText(value)}\n`;
}
