import type { FlowDraft, FlowStepDraft } from './flow-record.ts'
import { canonicalBundle } from './flow-record.ts'

const STATE_ID_PREFIX = 'flowst1_'

/** The id of a flow's exact content: the base an edit has to name. */
export function flowStateId(flow: FlowDraft, steps: readonly FlowStepDraft[]): string {
  return stateIdOf(new TextEncoder().encode(stableStringify(canonicalBundle({ flow, steps }))))
}

/** The state id that stands for a flow which does not exist. */
export const ABSENT_FLOW_STATE_ID = stateIdOf(Uint8Array.of(0))

/** JSON with sorted keys, in which an undefined value reads as null. */
export function stableStringify(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `[${value.map(stableStringify).join(',')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${stableStringify(item)}`).join(',')}}`
}

/** FNV-1a over bytes, 64 bit, as 16 hex digits. */
export function fnv1a64(bytes: Uint8Array): string {
  // The prime is 2^40 + 0x1b3. Two 32-bit halves keep all products exact in a double and are many
  // times faster than BigInt, which matters as a flow may hold megabytes of text.
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0
    const lowProduct = low * 0x1b3
    const carry = Math.floor(lowProduct / 2 ** 32)
    high = (high * 0x1b3 + carry + ((low << 8) >>> 0)) % 2 ** 32
    low = lowProduct % 2 ** 32
  }
  return hex32(high) + hex32(low)
}

function stateIdOf(bytes: Uint8Array): string {
  return STATE_ID_PREFIX + fnv1a64(bytes)
}

function hex32(word: number): string {
  return word.toString(16).padStart(8, '0')
}
