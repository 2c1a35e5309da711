/**
 * A function that makes something for a key, or returns the last one that it has made for that as long as all of `on` is
 * the same. It keeps that as long as the key.
 */
export function remembered<K extends WeakKey, T>() {
  const known = new WeakMap<K, { readonly on: readonly unknown[]; readonly made: T }>();
  return (key: K, on: readonly unknown[], make: () => T): T => {
    const last = known.get(key);
    if (last?.on.length === on.length && last.on.every((each, index) => each === on[index])) return last.made;
    const made = make();
    known.set(key, { on, made });
    return made;
  };
}
