/** The same items in an order that depends on the seed alone. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed >>> 0
  const draw = (below: number) => {
    // The high bits of this generator are the better ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const all = [...items]
  for (let at = all.length - 1; at > 0; at--) {
    const other = draw(at + 1)
    const held = all[at] as Item
    all[at] = all[other] as Item
    all[other] = held
  }
  return all
}

/** The items in turns, one of each group, so that a large group does not take up a short sample. */
export function spread<Item>(items: readonly Item[], groupOf: (item: Item) => string): Item[] {
  const groups = [...Map.groupBy(items, groupOf).values()]
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => groups.flatMap((group) => group.slice(at, at + 1))).flat()
}
