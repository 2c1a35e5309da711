/**
 * Caches the last result for each key, as long as all dependencies in `on` are
 * the same.
 */
export function memoized<K extends WeakKey, T>() {
  const cache = new WeakMap<K, { readonly on: readonly unknown[]; readonly result: T }>();
  return (key: K, on: readonly unknown[], compute: () => T): T => {
    const last = cache.get(key);
    if (last?.on.length === on.length && last.on.every((each, index) => each === on[index]))
      return last.result;
    const result = compute();
    cache.set(key, { on, result });
    return result;
  };
}
