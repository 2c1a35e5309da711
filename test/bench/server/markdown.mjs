import { median } from "../shared/statistics.mjs";

/** @param {string[][]} rows the first columns are text, the others numbers */
export function table(header, rows, { textColumns = 1 } = {}) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = `|${header.map((_, index) => (index < textColumns ? "---|" : "---:|")).join("")}`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

/** `0.52 (0.49–0.53)`: the median, the smallest and the largest. */
export function spread(list, format = ratio) {
  return `${format(median(list))} (${format(Math.min(...list))}–${format(Math.max(...list))})`;
}

/** Two digits, or all of a whole number. */
export const ratio = (number) => (number < 10 ? number.toPrecision(2) : whole(number));
export const whole = (number) => Math.round(number).toLocaleString("en-US");
export const tenths = (number) => number.toFixed(1);
