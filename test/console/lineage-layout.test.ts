import { expect, test } from 'vitest'
import { type LineageNode, layOut, wayOf } from '../../console/src/screens/data/lineage-layout.ts'

const none: ReadonlySet<string> = new Set()

/** A start that rests on many entries of few kinds, each of them on one further. */
function graph(count: number, kinds: number) {
  const nodes: LineageNode[] = [{ id: 'start', type: 'plan', source: 'planner', state: 'draft', depth: 0 }]
  const edges: { id: string; dependsOnLedgerId: string }[] = []
  for (let at = 0; at < count; at++) {
    const kind = `kind_${at % kinds}`
    nodes.push({ id: `near_${at}`, type: kind, source: 'crm', state: 'final', depth: 1 })
    nodes.push({ id: `far_${at}`, type: kind, source: `source_${at % 3}`, state: 'final', depth: 2 })
    edges.push({ id: 'start', dependsOnLedgerId: `near_${at}` })
    edges.push({ id: `near_${at}`, dependsOnLedgerId: `far_${at}` })
  }
  return { nodes, edges }
}

function expectApart({ boxes }: ReturnType<typeof layOut>): void {
  for (const one of boxes)
    for (const other of boxes)
      if (one !== other && one.x === other.x)
        expect(one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true)
}

test('few entries have a box each, many share one by type and source, and none lies on another', () => {
  const few = graph(10, 3)
  const drawn = layOut(few.nodes, few.edges, { direction: 'up', opened: none })
  expect([drawn.boxes.length, drawn.links.length]).toEqual([21, 20])
  expectApart(drawn)
  const many = graph(2_500, 5)
  const stacked = layOut(many.nodes, many.edges, { direction: 'up', opened: none })
  expect(stacked.boxes.length).toBe(1 + 5 + 15)
  expectApart(stacked)
  expect(stacked.boxes.reduce((sum, { members }) => sum + members.length, 0)).toBe(5_001)
  expect(stacked.links.reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
})

test('still more kinds share a box by type alone, and an opened stack shows its entries', () => {
  const { nodes, edges } = graph(600, 30)
  const merged = layOut(nodes, edges, { direction: 'up', opened: none })
  expect(merged.boxes.length).toBe(61)
  const stack = merged.boxes.find(({ members }) => members.length > 1)
  const opened = layOut(nodes, edges, { direction: 'up', opened: new Set([stack?.key ?? '']) })
  expect(opened.boxes.length).toBe(merged.boxes.length + (stack?.members.length ?? 0) - 1)
  expectApart(opened)
})

test('where the walk began is on the right of what it rests on, and on the left of what came of it', () => {
  const { nodes, edges } = graph(3, 1)
  for (const direction of ['up', 'down'] as const) {
    const { boxes } = layOut(nodes, edges, { direction, opened: none })
    const start = boxes.find(({ depth }) => depth === 0)
    const far = boxes.find(({ depth }) => depth === 2)
    expect((start?.x ?? 0) > (far?.x ?? 0)).toBe(direction === 'up')
  }
})

test('the way leads from what is pointed at to where the walk began', () => {
  const { nodes, edges } = graph(3, 1)
  const { boxes, links } = layOut(nodes, edges, { direction: 'up', opened: none })
  const way = wayOf(
    boxes.find(({ key }) => key === 'far_1'),
    links,
    'up',
  )
  expect([...way].map(({ key }) => key)).toEqual(['far_1', 'near_1', 'start'])
})
