const MOST_KEPT = 1024;

/** `compute`, remembering its results: for what comes again and again, such as names and dates. */
export function memoized<A, R>(
  compute: (argument: A) => R,
  keyOf: (argument: A) => unknown = (argument) => argument,
): (argument: A) => R {
  const kept = new Map<unknown, R>();
  return (argument) => {
    const key = keyOf(argument);
    const found = kept.get(key);
    if (found !== undefined) return found;
    if (kept.size >= MOST_KEPT) kept.clear();
    const result = compute(argument);
    kept.set(key, result);
    return result;
  };
}

/** `make`, called when its result is first asked for. What it throws is not remembered. */
export function memoizedValue<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
