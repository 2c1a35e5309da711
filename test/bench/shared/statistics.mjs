/** The smallest number that this part of the list does not exceed. */
export function quantile(list, part) {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1];
}

export const median = (list) => quantile(list, 0.5);

/** Each number divided by the one of the same round: a slow round does not change its ratios. */
export const ratios = (list, others) => list.map((number, round) => number / others[round]);
