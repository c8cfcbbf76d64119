import { Link as PageLink } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Icon } from '../../parts/icon'
import { Name } from '../../parts/words'
import {
  BOX_WIDTH,
  type Box,
  DOTS_MAX,
  DOTS_PER_ROW,
  type LineageNode,
  type Link,
  layOut,
  wayOf,
} from './lineage-layout'

const ZOOMS = [0.5, 0.75, 1, 1.25] as const
const MAP_WIDTH = 132
const MAP_HEIGHT = 72
const LINE_MAX = 7

/** The ways from entry to entry. It is an aid for the eye: the list beside it says the same to everybody. */
export function LineageGraph(props: {
  nodes: readonly LineageNode[]
  edges: readonly { id: string; dependsOnLedgerId: string }[]
  direction: 'up' | 'down'
}) {
  const { nodes, edges, direction } = props
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState<string>()
  const [zoom, setZoom] = useState(2)
  const layout = useMemo(() => layOut(nodes, edges, { direction, opened }), [nodes, edges, direction, opened])
  const way = useMemo(
    () =>
      wayOf(
        layout.boxes.find(({ key }) => key === at),
        layout.links,
        direction,
      ),
    [layout, at, direction],
  )
  const scale = ZOOMS[zoom] as number
  return (
    <div className="graph">
      <div className="graph-tools">
        <span className="choice" role="group" aria-label="Size">
          <button type="button" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)} aria-label="Smaller">
            <Icon name="minus" />
          </button>
          <button type="button" onClick={() => setZoom(2)} className="num">
            {scale * 100} %
          </button>
          <button
            type="button"
            disabled={zoom === ZOOMS.length - 1}
            onClick={() => setZoom(zoom + 1)}
            aria-label="Larger"
          >
            <Icon name="plus" />
          </button>
        </span>
        <MiniMap nodes={nodes} direction={direction} />
      </div>
      <div className="graph-scroll" tabIndex={0} role="group" aria-label="The graph">
        <div style={{ width: layout.width * scale, height: layout.height * scale }}>
          <div
            className="graph-space"
            style={{ width: layout.width, height: layout.height, transform: `scale(${scale})` }}
          >
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              {layout.links.map((link) => (
                <GraphLink
                  key={`${link.from.key} ${link.to.key}`}
                  link={link}
                  isOnWay={way.has(link.from) && way.has(link.to)}
                />
              ))}
            </svg>
            {layout.columns.map(({ depth, x, count }) => (
              <p key={depth} className="graph-column tiny" style={{ left: x, width: BOX_WIDTH }}>
                {depth === 0 ? 'this entry' : `${depth} ${depth === 1 ? 'step' : 'steps'} away`}
                <span className="faint num">{count.toLocaleString('en')}</span>
              </p>
            ))}
            {layout.boxes.map((box) => (
              <GraphBox
                key={box.key}
                box={box}
                isOnWay={way.has(box)}
                look={() => setAt(box.key)}
                open={() => setOpened(new Set([...opened, box.key]))}
              />
            ))}
          </div>
        </div>
      </div>
      <p className="small faint graph-legend">
        <i className="line-way" /> the way to what you point at <i className="line-plain" /> other links,
        thicker where more
        {opened.size > 0 && (
          <>
            {' '}
            ·{' '}
            <button type="button" className="link" onClick={() => setOpened(new Set())}>
              Close the opened stacks
            </button>
          </>
        )}
      </p>
    </div>
  )
}

function GraphLink({ link: { from, to, count }, isOnWay }: { link: Link; isOnWay: boolean }) {
  const [x1, y1] = [from.x + BOX_WIDTH, from.y + from.height / 2]
  const [x2, y2] = [to.x, to.y + to.height / 2]
  const bend = Math.max(28, (x2 - x1) / 2)
  return (
    <path
      className={isOnWay ? 'graph-link is-on-way' : 'graph-link'}
      d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
      strokeWidth={Math.min(LINE_MAX, 1 + Math.log2(count))}
    />
  )
}

function GraphBox(props: { box: Box; isOnWay: boolean; look: () => void; open: () => void }) {
  const { box, isOnWay, look, open } = props
  const { x, y, height, members, depth, type, source } = box
  const [first] = members
  const place = { left: x, top: y, width: BOX_WIDTH, height }
  const className = `graph-box ${isOnWay ? 'is-on-way' : ''} ${depth === 0 ? 'is-start' : ''}`
  if (members.length > 1)
    return (
      <button
        type="button"
        className={`${className} is-stack`}
        style={place}
        onClick={open}
        onMouseEnter={look}
        onFocus={look}
      >
        <Words type={type} source={source} count={members.length} />
        <span className="unseen">entries in a stack, open it</span>
        <Dots count={members.length} />
      </button>
    )
  return (
    <PageLink
      to="/data"
      search={({ vault }) => ({ ...(vault && { vault }), tab: 'ledger' as const, item: first?.id ?? '' })}
      className={className}
      style={place}
      onMouseEnter={look}
      onFocus={look}
    >
      <Words type={type} source={source} />
    </PageLink>
  )
}

function Words({ type, source, count }: { type: string; source: string; count?: number }) {
  return (
    <>
      <span className="graph-words">
        <b className="cut">
          <Name text={type} />
        </b>
        {count !== undefined && <span className="faint num">×{count.toLocaleString('en')}</span>}
      </span>
      <span className="small soft cut">
        <Name text={source} />
      </span>
    </>
  )
}

/** A dot for each entry, as far as there is room. */
function Dots({ count }: { count: number }) {
  const shown = Math.min(count, DOTS_MAX)
  const d = Array.from(
    { length: shown },
    (_, dot) => `M${(dot % DOTS_PER_ROW) * 7} ${Math.floor(dot / DOTS_PER_ROW) * 7}h5v5h-5z`,
  ).join('')
  return (
    <svg
      className="graph-dots"
      width={DOTS_PER_ROW * 7}
      height={Math.ceil(shown / DOTS_PER_ROW) * 7}
      aria-hidden="true"
    >
      <path d={d} />
    </svg>
  )
}

/** All entries, a dot each, so that one sees how much there is at all. */
function MiniMap({ nodes, direction }: { nodes: readonly LineageNode[]; direction: 'up' | 'down' }) {
  const d = useMemo(() => dotsOf(nodes, direction), [nodes, direction])
  return (
    <figure className="minimap">
      <svg viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`} aria-hidden="true">
        <path d={d} />
      </svg>
      <figcaption className="tiny faint">all {nodes.length.toLocaleString('en')}, one dot each</figcaption>
    </figure>
  )
}

function dotsOf(nodes: readonly LineageNode[], direction: 'up' | 'down'): string {
  const columns = Map.groupBy(nodes, ({ depth }) => depth)
  const step = MAP_WIDTH / Math.max(1, columns.size)
  const most = Math.max(...[...columns.values()].map(({ length }) => length))
  const wide = Math.max(1, Math.floor((step - 4) / 2))
  const dot = Math.min(2, MAP_HEIGHT / Math.ceil(most / wide))
  return [...columns]
    .flatMap(([depth, members]) => {
      const place = direction === 'up' ? columns.size - 1 - depth : depth
      return members.map(
        (_, at) =>
          `M${place * step + (at % wide) * 2} ${Math.floor(at / wide) * dot}h1v${Math.max(0.4, dot - 0.6)}h-1z`,
      )
    })
    .join('')
}
