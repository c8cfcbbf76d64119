const BUCKETS = 2_048

/** The places of the highest values, about so many of them, in no order; without a look at those out of reach. */
export function findHighest(
  values: Int32Array,
  count: number,
  wanted: number,
  isInReach: ((at: number) => boolean) | undefined,
): number[] {
  let highest = 1
  for (let at = 0; at < count; at++) if ((values[at] as number) > highest) highest = values[at] as number
  const scale = (BUCKETS - 1) / highest
  const sizes = new Int32Array(BUCKETS)
  for (let at = 0; at < count; at++) {
    const value = values[at] as number
    if (value > 0 && (!isInReach || isInReach(at))) {
      const bucket = (value * scale) | 0
      sizes[bucket] = (sizes[bucket] as number) + 1
    }
  }
  const floor = findFloor(sizes, wanted)
  const found: number[] = []
  for (let at = 0; at < count && found.length < wanted; at++) {
    const value = values[at] as number
    if (value > 0 && ((value * scale) | 0) >= floor && (!isInReach || isInReach(at))) found.push(at)
  }
  return found
}

function findFloor(sizes: Int32Array, wanted: number): number {
  let kept = 0
  for (let bucket = BUCKETS - 1; bucket > 0; bucket--) {
    kept += sizes[bucket] as number
    if (kept > wanted) return bucket + 1
  }
  return 0
}
