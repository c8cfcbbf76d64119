import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { lineageQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { Id } from '../../parts/id'
import { Answer } from '../../parts/panel'
import { Name } from '../../parts/words'
import { LineageGraph } from './lineage-graph'
import type { LineageNode } from './lineage-layout'

const WAYS = [
  ['up', 'Made from'],
  ['down', 'Made into'],
] as const
const LISTED_AT_ONCE = 200

/** From what an entry was made, or what was made of it: as a graph, or as a list that says the same. */
export function Lineage({ ledger_id }: { ledger_id: string }) {
  const hub = useHub()
  const [direction, setDirection] = useState<'up' | 'down'>('up')
  const [isList, setList] = useState(() => matchMedia('(max-width: 45rem)').matches)
  const asked = useQuery(lineageQuery(hub, ledger_id, direction))
  return (
    <section className="lineage">
      <p className="acts">
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
        <span className="choice" role="group" aria-label="How it is shown">
          <button type="button" aria-pressed={!isList} onClick={() => setList(false)}>
            Graph
          </button>
          <button type="button" aria-pressed={isList} onClick={() => setList(true)}>
            List
          </button>
        </span>
      </p>
      <Answer
        of={asked}
        empty={({ nodes }) =>
          nodes.length <= 1 &&
          (direction === 'up' ? 'It was made from nothing else here.' : 'Nothing was made of it.')
        }
      >
        {({ nodes, edges, truncated }) => (
          <>
            <p className="small soft">
              {nodes.length.toLocaleString('en')} entries, {edges.length.toLocaleString('en')} links,{' '}
              {Math.max(...nodes.map(({ depth }) => depth))} steps deep
              {truncated && '. There is more than is shown'}.
            </p>
            {isList ? (
              <LineageList key={direction} nodes={nodes} />
            ) : (
              <LineageGraph key={direction} nodes={nodes} edges={edges} direction={direction} />
            )}
          </>
        )}
      </Answer>
    </section>
  )
}

function LineageList({ nodes }: { nodes: readonly LineageNode[] }) {
  const [shown, setShown] = useState(LISTED_AT_ONCE)
  return (
    <>
      <table className="plain lineage-list">
        <thead>
          <tr>
            <th>steps</th>
            <th>type</th>
            <th>made by</th>
            <th>state</th>
            <th>entry</th>
          </tr>
        </thead>
        <tbody>
          {nodes.slice(0, shown).map(({ id, depth, type, source, state }) => (
            <tr key={id}>
              <td className="num">{depth}</td>
              <td>
                <Link
                  to="/data"
                  search={({ vault }) => ({ ...(vault && { vault }), tab: 'ledger' as const, item: id })}
                >
                  <Name text={type} />
                </Link>
              </td>
              <td>
                <Name text={source} />
              </td>
              <td>{state}</td>
              <td>
                <Id id={id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown < nodes.length && (
        <button type="button" className="button" onClick={() => setShown(shown + LISTED_AT_ONCE)}>
          {Math.min(LISTED_AT_ONCE, nodes.length - shown)} more of{' '}
          {(nodes.length - shown).toLocaleString('en')}
        </button>
      )}
    </>
  )
}
