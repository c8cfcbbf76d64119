/** An entry on the way, and how many steps it lies from where the walk began. */
export interface LineageNode {
  readonly id: string
  readonly type: string
  readonly source: string
  readonly state: string
  readonly depth: number
}

interface LineageEdge {
  readonly id: string
  readonly dependsOnLedgerId: string
}

/** One entry, or a stack of like ones in one column. */
export interface Box {
  readonly key: string
  readonly type: string
  readonly source: string
  readonly members: readonly LineageNode[]
  readonly depth: number
  x: number
  y: number
  readonly height: number
}

/** How many links lead from one box to another, and how they run. */
export interface Link {
  readonly from: Box
  readonly to: Box
  readonly count: number
}

export interface Layout {
  readonly boxes: readonly Box[]
  readonly links: readonly Link[]
  readonly columns: readonly { readonly depth: number; readonly x: number; readonly count: number }[]
  readonly width: number
  readonly height: number
}

/** With more boxes than this, entries of one type and source share one; with still more, those of one type. */
const BOXES_MAX = 40
/** So many of an opened stack are drawn; the list has all. */
const OPENED_MAX = 60
export const BOX_WIDTH = 152
const COLUMN = BOX_WIDTH + 64
const HEAD = 40
const PLAIN_HEIGHT = 46
const GAP = 22
export const DOTS_PER_ROW = 18
export const DOTS_MAX = DOTS_PER_ROW * 6
const DOT_ROW = 7

/** Places for all boxes: a column for each step away, what it began with on the side where things end up. */
export function layOut(
  nodes: readonly LineageNode[],
  edges: readonly LineageEdge[],
  options: { direction: 'up' | 'down'; opened: ReadonlySet<string> },
): Layout {
  const boxes = boxesOf(nodes, options.opened)
  const deepest = Math.max(0, ...nodes.map(({ depth }) => depth))
  const byDepth = Map.groupBy(boxes, ({ depth }) => depth)
  const heights = [...byDepth.values()].map(heightOf)
  const height = Math.max(HEAD + GAP, ...heights) + HEAD
  const columns = [...byDepth.keys()]
    .toSorted((one, other) => one - other)
    .map((depth) => ({
      depth,
      x: (options.direction === 'up' ? deepest - depth : depth) * COLUMN,
      count: (byDepth.get(depth) ?? []).reduce((sum, { members }) => sum + members.length, 0),
    }))
  for (const { depth, x } of columns) {
    const column = byDepth.get(depth) ?? []
    let y = HEAD + (height - HEAD - heightOf(column)) / 2
    for (const box of column) {
      Object.assign(box, { x, y })
      y += box.height + GAP
    }
  }
  return { boxes, links: linksOf(boxes, edges), columns, height, width: deepest * COLUMN + BOX_WIDTH }
}

function heightOf(column: readonly Box[]): number {
  return column.reduce((sum, box) => sum + box.height + GAP, -GAP)
}

function boxesOf(nodes: readonly LineageNode[], opened: ReadonlySet<string>): Box[] {
  if (nodes.length <= BOXES_MAX) return nodes.map((node) => boxOf(node.id, [node]))
  const byKind = Map.groupBy(nodes, ({ depth, type, source }) => JSON.stringify([depth, type, source]))
  const groups =
    byKind.size <= BOXES_MAX ? byKind : Map.groupBy(nodes, ({ depth, type }) => JSON.stringify([depth, type]))
  return [...groups].flatMap(([key, members]) => {
    if (members.length > 1 && !opened.has(key)) return [boxOf(key, members)]
    const alone = members.slice(0, OPENED_MAX).map((node) => boxOf(node.id, [node]))
    const rest = members.slice(OPENED_MAX)
    return rest.length === 0 ? alone : [...alone, boxOf(`${key} rest`, rest)]
  })
}

function boxOf(key: string, members: readonly LineageNode[]): Box {
  const [first] = members as [LineageNode]
  const sources = new Set(members.map(({ source }) => source))
  const rows = members.length === 1 ? 0 : Math.ceil(Math.min(members.length, DOTS_MAX) / DOTS_PER_ROW)
  return {
    key,
    type: first.type,
    source: sources.size === 1 ? first.source : `${sources.size} sources`,
    members,
    depth: first.depth,
    x: 0,
    y: 0,
    height: PLAIN_HEIGHT + rows * DOT_ROW,
  }
}

function linksOf(boxes: readonly Box[], edges: readonly LineageEdge[]): Link[] {
  const boxOfNode = new Map(boxes.flatMap((box) => box.members.map(({ id }) => [id, box] as const)))
  const counted = new Map<string, { from: Box; to: Box; count: number }>()
  for (const { id, dependsOnLedgerId } of edges) {
    const [from, to] = [boxOfNode.get(dependsOnLedgerId), boxOfNode.get(id)]
    if (!from || !to) continue
    const key = `${from.key} ${to.key}`
    const known = counted.get(key)
    if (known) known.count++
    else counted.set(key, { from, to, count: 1 })
  }
  return [...counted.values()]
}

/** The boxes on all ways between one and where the walk began. */
export function wayOf(chosen: Box | undefined, links: readonly Link[], direction: 'up' | 'down'): Set<Box> {
  const onWay = new Set<Box>()
  const due = chosen ? [chosen] : []
  for (let box = due.pop(); box; box = due.pop()) {
    if (onWay.has(box)) continue
    onWay.add(box)
    const here = box
    for (const { from, to } of links) {
      const [near, far] = direction === 'up' ? [from, to] : [to, from]
      if (near === here) due.push(far)
    }
  }
  return onWay
}
