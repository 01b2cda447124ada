/** Resolves for nobody until it was called so many times, and then for everybody. */
export function gate(count: number): () => Promise<void> {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let called = 0;
  return () => {
    if (++called >= count) open();
    return opened;
  };
}
