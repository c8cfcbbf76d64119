/** The state id of a bundle, worked out from the contract's own words and with other means than the hub's. */
export function stateIdOf(bundle: { flow: unknown; steps: unknown }): string {
  let state = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(sortedJson(bundle)))
    state = BigInt.asUintN(64, (state ^ BigInt(byte)) * 0x100000001b3n)
  return `flowst1_${state.toString(16).padStart(16, '0')}`
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  )
}
