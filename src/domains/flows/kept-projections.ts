import type { VaultPolicy } from '../../platform/policy/vault-policy.ts'
import { offeredTools } from './allowlist.ts'
import type { Flow, FlowBundle } from './bundle/flow-record.ts'

/** All that is kept together has at most so many characters; beyond it everything is let go. */
const KEPT_LIMIT_CHARS = 8_388_608
/** A longer document is read and rendered each time: a few of them would push out everything else. */
const DOCUMENT_LIMIT_CHARS = 262_144
/** A document is rendered for a few harnesses, vaults and allowlists, not for more. */
const TEXTS_PER_DOCUMENT = 64

/** A stored document as it was read, and what was rendered from it. */
export interface ReadDocument {
  readonly flow: Flow
  readonly steps: FlowBundle['steps']
  /** The external tools that its steps declare and a policy allows, and what tells them from other such lists. */
  offeredUnder(policy: VaultPolicy): Offered
  /** The text that was rendered under this key, or the one to keep for it. */
  text(key: string, render: () => string): string
}

interface Offered {
  readonly tools: readonly string[]
  readonly key: string
}

/**
 * A bounded cache of documents by their own text, so that nothing in here can be out of date: a changed document is another
 * one, and whatever else a rendered text depends on is in its key.
 */
export function keepProjections(): (document: string) => ReadDocument {
  const kept = new Map<string, ReadDocument>()
  let chars = 0
  const add = (length: number) => {
    chars += length
    if (chars <= KEPT_LIMIT_CHARS) return
    kept.clear()
    chars = 0
  }
  return (document) => {
    const known = kept.get(document)
    if (known) return known
    if (document.length > DOCUMENT_LIMIT_CHARS) return readDocument(document, () => {})
    const read = readDocument(document, add)
    add(document.length)
    kept.set(document, read)
    return read
  }
}

function readDocument(document: string, onKept: (length: number) => void): ReadDocument {
  const { flow, steps } = JSON.parse(document) as FlowBundle
  const texts = new Map<string, string>()
  return {
    flow,
    steps,
    offeredUnder: keepOffered(steps),
    text(key, render) {
      const known = texts.get(key)
      if (known !== undefined) return known
      const text = render()
      if (texts.size >= TEXTS_PER_DOCUMENT) texts.clear()
      texts.set(key, text)
      onKept(key.length + text.length)
      return text
    },
  }
}

/** A policy object stands for one revision of the file, and one vault's document is read under one of them. */
function keepOffered(steps: FlowBundle['steps']): (policy: VaultPolicy) => Offered {
  let kept: { policy: VaultPolicy; offered: Offered } | undefined
  return (policy) => {
    if (kept?.policy === policy) return kept.offered
    const tools = offeredTools(steps, policy)
    kept = { policy, offered: { tools, key: tools.join('\0') } }
    return kept.offered
  }
}
