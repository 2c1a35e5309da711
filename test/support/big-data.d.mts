import type { Data } from "../../src/store/data.js";

export const ENVIRONMENTS: readonly string[];
export function bigName(index: number): string;
export function bigData(
  count: number,
  valueLength?: number,
  environments?: readonly string[],
): Data;
