/** Texts of `counts` tokens in their order, as many at a time as both limits allow; at least one. */
export function textGroups(
  counts: readonly number[],
  most: { readonly texts: number; readonly tokens: number },
): number[][] {
  const groups: number[][] = [];
  let tokens = 0;
  for (const [index, count] of counts.entries()) {
    const group = groups.at(-1);
    if (group === undefined || group.length >= most.texts || tokens + count > most.tokens) {
      groups.push([index]);
      tokens = count;
    } else {
      group.push(index);
      tokens += count;
    }
  }
  return groups;
}
