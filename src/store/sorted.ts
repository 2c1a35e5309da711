interface Identified {
  readonly id: number;
}

/** For sorting records by ascending id, which is the order that they mostly have already. */
export function byId(a: Identified, b: Identified): number {
  return a.id - b.id;
}

/**
 * The record with this id in a list that is sorted by id; undefined when there is none. It searches, since a Map of a
 * large list takes time to build and memory to keep.
 */
export function findById<T extends Identified>(sorted: readonly T[], id: number): T | undefined {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((sorted[middle]?.id ?? 0) < id) start = middle + 1;
    else end = middle;
  }
  const record = sorted[start];
  return record?.id === id ? record : undefined;
}
