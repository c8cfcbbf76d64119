import { FILES_LIMIT } from './search-limits.ts'

/** Half empty at the limit, so that a free place is always near. */
const SLOTS = 2 ** Math.ceil(Math.log2(FILES_LIMIT * 2))
const scratch = new Uint32Array(2)
const scratchKey = new BigInt64Array(scratch.buffer)

/** A table in which several threads note which files they have taken. */
export function createClaims(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT))
}

/** Whether the caller is the first to ask for the path. Two paths of equal 64-bit keys are not to be expected. */
export function claimFile(claims: BigInt64Array, path: string): boolean {
  const key = keyOf(path)
  for (let slot = (scratch[0] as number) % SLOTS; ; slot = (slot + 1) % SLOTS) {
    const holder = Atomics.compareExchange(claims, slot, 0n, key)
    if (holder === 0n) return true
    if (holder === key) return false
  }
}

/** Two different 32-bit hashes side by side, never zero. */
function keyOf(path: string): bigint {
  let first = 0x811c9dc5
  let second = 0x9747b28c
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index)
    first = Math.imul(first ^ code, 0x01000193)
    second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13)
  }
  scratch[0] = first
  scratch[1] = second | 1
  return scratchKey[0] as bigint
}
