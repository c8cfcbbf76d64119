import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { lineageQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { Answer } from '../../parts/panel'

const WAYS = [
  ['up', 'Made from'],
  ['down', 'Used for'],
] as const
/** In a column with more of one type than this, they are one box until it is opened. */
const SHOWN_OF_TYPE = 8

interface Node {
  id: string
  type: string
  state: string
  depth: number
}

/** From what an entry was made, or what was made of it: a column for each step of the way, a box for each kind of thing. */
export function Lineage({ ledger_id }: { ledger_id: string }) {
  const hub = useHub()
  const [direction, setDirection] = useState<'up' | 'down'>('up')
  const asked = useQuery(lineageQuery(hub, ledger_id, direction))
  return (
    <section>
      <h3>
        Lineage{' '}
        <span className="choice" role="group" aria-label="Which way">
          {WAYS.map(([way, name]) => (
            <button
              key={way}
              type="button"
              aria-pressed={direction === way}
              onClick={() => setDirection(way)}
            >
              {name}
            </button>
          ))}
        </span>
      </h3>
      <Answer
        of={asked}
        empty={({ nodes }) =>
          nodes.length <= 1 &&
          (direction === 'up' ? 'It was made from nothing else here.' : 'Nothing was made of it.')
        }
      >
        {({ nodes, edges, truncated }) => (
          <>
            <ol className="lineage">
              {columnsOf(nodes).map(([depth, groups]) => (
                <li key={depth}>
                  <p className="tiny faint">{depth === 0 ? 'this' : `${depth} away`}</p>
                  {groups.map(([type, members]) => (
                    <Group key={type} type={type} members={members} />
                  ))}
                </li>
              ))}
            </ol>
            <p className="small faint">
              {nodes.length} entries, {edges.length} links{truncated && '; there are more'}
            </p>
          </>
        )}
      </Answer>
    </section>
  )
}

function columnsOf(nodes: readonly Node[]): [number, [string, Node[]][]][] {
  const columns = new Map<number, Map<string, Node[]>>()
  for (const node of nodes) {
    const groups = columns.get(node.depth) ?? new Map<string, Node[]>()
    columns.set(node.depth, groups)
    groups.set(node.type, [...(groups.get(node.type) ?? []), node])
  }
  return [...columns].toSorted(([one], [other]) => one - other).map(([depth, groups]) => [depth, [...groups]])
}

function Group({ type, members }: { type: string; members: readonly Node[] }) {
  const [isOpen, setOpen] = useState(members.length <= SHOWN_OF_TYPE)
  if (!isOpen)
    return (
      <button type="button" className="lineage-box" onClick={() => setOpen(true)}>
        <b>{type}</b> ×{members.length}
      </button>
    )
  return members.map(({ id, state }) => (
    <Link
      key={id}
      to="/data"
      search={({ vault }) => ({ ...(vault && { vault }), tab: 'ledger' as const, item: id })}
      className="lineage-box"
    >
      <b>{type}</b> <span className="soft">{state}</span>
      <code className="small">{id.slice(0, 14)}…</code>
    </Link>
  ))
}
