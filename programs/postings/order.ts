// Terms in the order of their letters.

import { heads, lengths, order, spare, starts } from './layout'
import { terms } from './terms'

/** Runs of so many are sorted by moving each to its place. */
const RUN: i32 = 8

/** Puts the numbers of all terms in order: short runs first, then always two of them together. */
export function sort_terms(): i32 {
  for (let from = 0; from < terms; from += RUN) sort_run(from, min(from + RUN, terms))
  let here = order
  let there = spare
  for (let run = RUN; run < terms; run *= 2) {
    for (let from = 0; from < terms; from += run * 2)
      merge(here, there, from, min(from + run, terms), min(from + run * 2, terms))
    const sorted = there
    there = here
    here = sorted
  }
  return here
}

function sort_run(from: i32, to: i32): void {
  for (let next = from; next < to; next++) {
    let at = next
    for (; at > from && is_before(next, load<i32>(order + ((at - 1) << 2))); at--)
      store<i32>(order + (at << 2), load<i32>(order + ((at - 1) << 2)))
    store<i32>(order + (at << 2), next)
  }
}

function merge(here: i32, there: i32, from: i32, middle: i32, to: i32): void {
  let left = here + (from << 2)
  let right = here + (middle << 2)
  const left_end = right
  const right_end = here + (to << 2)
  for (let out = there + (from << 2); out < there + (to << 2); out += 4) {
    const takes_left =
      right >= right_end || (left < left_end && !is_before(load<i32>(right), load<i32>(left)))
    store<i32>(out, load<i32>(takes_left ? left : right))
    if (takes_left) left += 4
    else right += 4
  }
}

/** Letters that are not there count as 0, which none is. */
// @ts-ignore: decorator
@inline
function is_before(one: i32, other: i32): bool {
  const head = load<u64>(heads + (one << 3))
  const other_head = load<u64>(heads + (other << 3))
  return head == other_head ? is_rest_before(one, other) : bswap(head) < bswap(other_head)
}

function is_rest_before(one: i32, other: i32): bool {
  const length = load<i32>(lengths + (one << 2))
  const other_length = load<i32>(lengths + (other << 2))
  const shorter = min(length, other_length)
  const found = memory.compare(load<i32>(starts + (one << 2)), load<i32>(starts + (other << 2)), shorter)
  return found == 0 ? length < other_length : found < 0
}
