import type { Data, LastIds } from "./data.js";

type List = keyof LastIds;

/** The id for a new record of a list: one that no record of it has, or ever had. */
export function nextId(data: Data, list: List): number {
  return highestId(data, list) + 1;
}

/** `next` with a record of the highest ids so far, for `previous` may have held a higher one than is left. */
export function withLastIds(previous: Data, next: Data): Data {
  const highest = (list: List) => Math.max(highestId(previous, list), highestId(next, list));
  return {
    ...next,
    last_ids: {
      environments: highest("environments"),
      variables: highest("variables"),
      values: highest("values"),
    },
  };
}

function highestId(data: Data, list: List): number {
  return data[list].reduce((highest, { id }) => Math.max(highest, id), data.last_ids?.[list] ?? 0);
}
