import type { Reader } from '../../../platform/storage/database.ts'
import type { LedgerRow } from './ledger-record.ts'
import { findEntry, findNeighbours } from './ledger-store.ts'

/** One entry on the way, and how many steps it lies from where the walk began. */
export interface LineageNode {
  row: LedgerRow
  depth: number
}

export interface LineageGraph {
  nodes: LineageNode[]
  /** Each edge goes from an entry to one that it was made from. */
  edges: { id: string; depends_on: string }[]
  /** Whether there is more than was walked. */
  truncated: boolean
}

interface Walk {
  vault_id: string
  direction: 'up' | 'down'
  max_depth: number
  max_nodes: number
}

/**
 * Walks from an entry to what it was made from, or to what was made from it, nearest first. Costs a
 * lookup for each entry met, however many others the ledger holds.
 */
export async function walkLineage(db: Reader, start: LedgerRow, walk: Walk): Promise<LineageGraph> {
  const graph: LineageGraph = { nodes: [{ row: start, depth: 0 }], edges: [], truncated: false }
  const known = new Set([start.id])
  for (let at = 0; at < graph.nodes.length; at++) {
    const { row, depth } = graph.nodes[at] as LineageNode
    const { vault_id, direction, max_nodes } = walk
    const found = await findNeighbours(db, { vault_id, id: row.id, direction }, max_nodes + 1)
    if (depth >= walk.max_depth) {
      graph.truncated ||= found.some((id) => !known.has(id))
      continue
    }
    for (const id of found) await takeStep(db, graph, known, walk, { from: row.id, id, depth: depth + 1 })
  }
  return graph
}

async function takeStep(
  db: Reader,
  graph: LineageGraph,
  known: Set<string>,
  { vault_id, direction, max_nodes }: Walk,
  step: { from: string; id: string; depth: number },
): Promise<void> {
  const { from, id, depth } = step
  if (!known.has(id)) {
    const row = graph.nodes.length < max_nodes ? await findEntry(db, vault_id, id) : undefined
    if (!row) return void (graph.truncated = true)
    known.add(id)
    graph.nodes.push({ row, depth })
  }
  graph.edges.push(direction === 'up' ? { id: from, depends_on: id } : { id, depends_on: from })
}
