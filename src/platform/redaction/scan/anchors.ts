/** Letters in either case are one; every character outside this list is one other. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789_-.:/~=$@ "<[+|'
const OTHER = ALPHABET.length
const WIDTH = OTHER + 1
/** A row is a power of two long, so that a state is found by a shift and its number fits into 16 bits. */
export const ROW_BITS = 6

/** An automaton that walks a text once and says at each character which anchors end there. */
export interface Anchors {
  /** The class of each ASCII character: an index into a row of `next`. */
  classes: Uint8Array
  other: number
  /** Rows of states, `1 << ROW_BITS` long; a state from `firstHit` on has anchors that end in it. */
  next: Uint16Array | Uint32Array
  firstHit: number
  hitsOf: readonly (readonly number[])[]
  lengths: readonly number[]
}

interface Node {
  next: Map<number, number>
  hits: number[]
  fallback: number
}

/** Builds the automaton of Aho and Corasick over anchors written in any case. */
export function buildAnchors(texts: readonly string[]): Anchors {
  const classes = classTable()
  const nodes = growTree(texts, classes)
  const order = linkFallbacks(nodes)
  const rows = fillRows(nodes, order)
  return {
    classes,
    other: OTHER,
    lengths: texts.map((text) => text.length),
    ...renumber(nodes, rows),
  }
}

function classTable(): Uint8Array {
  const classes = new Uint8Array(128).fill(OTHER)
  for (let code = 0; code < 128; code++) {
    const at = ALPHABET.indexOf(String.fromCharCode(code).toLowerCase())
    if (at >= 0) classes[code] = at
  }
  return classes
}

function growTree(texts: readonly string[], classes: Uint8Array): Node[] {
  const nodes: Node[] = [{ next: new Map(), hits: [], fallback: 0 }]
  texts.forEach((text, index) => {
    let at = 0
    for (let i = 0; i < text.length; i++) at = step(nodes, at, classes[text.charCodeAt(i)] ?? OTHER)
    nodes[at]?.hits.push(index)
  })
  return nodes
}

function step(nodes: Node[], from: number, letter: number): number {
  const known = nodes[from]?.next.get(letter)
  if (known !== undefined) return known
  nodes.push({ next: new Map(), hits: [], fallback: 0 })
  nodes[from]?.next.set(letter, nodes.length - 1)
  return nodes.length - 1
}

function linkFallbacks(nodes: Node[]): number[] {
  const order = [...(nodes[0] as Node).next.values()]
  for (let i = 0; i < order.length; i++) {
    const from = order[i] as number
    for (const [letter, to] of (nodes[from] as Node).next) {
      const child = nodes[to] as Node
      child.fallback = fallbackOf(nodes, (nodes[from] as Node).fallback, letter)
      child.hits.push(...(nodes[child.fallback] as Node).hits)
      order.push(to)
    }
  }
  return order
}

function fallbackOf(nodes: Node[], from: number, letter: number): number {
  for (let at = from; ; at = (nodes[at] as Node).fallback) {
    const to = nodes[at]?.next.get(letter)
    if (to !== undefined) return to
    if (at === 0) return 0
  }
}

function fillRows(nodes: Node[], order: readonly number[]): Uint32Array {
  const rows = new Uint32Array(nodes.length * WIDTH)
  for (const at of [0, ...order]) {
    const node = nodes[at] as Node
    for (let letter = 0; letter < WIDTH; letter++) {
      const inherited = at === 0 ? 0 : (rows[node.fallback * WIDTH + letter] as number)
      rows[at * WIDTH + letter] = node.next.get(letter) ?? inherited
    }
  }
  return rows
}

/** States with hits get the highest numbers: one comparison tells them. */
function renumber(nodes: readonly Node[], rows: Uint32Array): Pick<Anchors, 'next' | 'firstHit' | 'hitsOf'> {
  const quiet = nodes.flatMap((node, at) => (node.hits.length === 0 ? [at] : []))
  const loud = nodes.flatMap((node, at) => (node.hits.length > 0 ? [at] : []))
  const places = new Uint32Array(nodes.length)
  const order = [...quiet, ...loud]
  order.forEach((at, place) => {
    places[at] = place
  })
  // Half the memory stays in the processor's cache.
  const cells = nodes.length << ROW_BITS
  const next = nodes.length <= 0xffff ? new Uint16Array(cells) : new Uint32Array(cells)
  order.forEach((at, place) => {
    for (let letter = 0; letter < WIDTH; letter++) {
      next[(place << ROW_BITS) + letter] = places[rows[at * WIDTH + letter] as number] as number
    }
  })
  return { next, firstHit: quiet.length, hitsOf: loud.map((at) => nodes[at]?.hits ?? []) }
}
