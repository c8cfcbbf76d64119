import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { homeAt } from '../../../platform/basics/home.ts'
import { findConnector, listConnectors } from './connector-registry.ts'

const GOOD = `
connector_id: pantry
display_name: Pantry
version: 1.0.0
connector_modality: api_network
setup_modality: manual_or_upload
support_state: supported
reason: Reads what is in the pantry.
streams: [jars]
settings: []
collector: ./pantry.ts
`

let folder: string
let hub: { home: ReturnType<typeof homeAt>; parts: Map<unknown, unknown> }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-connectors-'))
  hub = { home: homeAt(folder, {}), parts: new Map() }
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  mkdirSync(join(folder, 'connectors', name), { recursive: true })
  writeFileSync(join(folder, 'connectors', name, 'manifest.yaml'), text)
  return join(folder, 'connectors', name, 'manifest.yaml')
}

test('shipped connectors are sound, and there without a home of their own', async () => {
  const { connectors, faults } = await listConnectors(hub)
  expect(faults).toEqual([])
  const ids = connectors.map(({ manifest }) => manifest.connector_id)
  expect(ids).toEqual(ids.toSorted())
  expect(ids).toEqual(expect.arrayContaining(['amazon', 'feed', 'folder', 'git']))
})

test("the owner's own come beside them, and an edit counts from the next call", async () => {
  write('pantry', GOOD)
  expect((await findConnector(hub, 'pantry'))?.manifest.display_name).toBe('Pantry')
  write('pantry', GOOD.replace('Pantry', 'Larder'))
  expect((await findConnector(hub, 'pantry'))?.manifest.display_name).toBe('Larder')
  rmSync(join(folder, 'connectors', 'pantry'), { recursive: true })
  expect(await findConnector(hub, 'pantry')).toBeUndefined()
})

describe('one that is broken is named and left out', () => {
  test.each([
    ['not YAML', '{'],
    ['empty', ''],
    ['a list', '- 1'],
    ['under another name', GOOD.replace('pantry', 'larder')],
    ['with a key nobody knows', `${GOOD}extra: 1\n`],
    ['with no collector', GOOD.replace('collector: ./pantry.ts', '')],
    ['with a collector outside its folder', GOOD.replace('./pantry.ts', '../pantry.ts')],
    ['with an address for a collector', GOOD.replace('./pantry.ts', 'https://example.org/a.js')],
    [
      'with two settings of one name',
      GOOD.replace(
        'settings: []',
        `settings:\n${'  - {name: a, label: A, kind: text, required: true}\n'.repeat(2)}`,
      ),
    ],
    [
      'with an OAuth part it does not use',
      `${GOOD}oauth: {issuer: "https://example.org", client_id: a, scope: b}\n`,
    ],
    ['with a name of two lines', GOOD.replace('Pantry\n', '"Pan\\ntry"\n')],
    [
      'that expands without end',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n`,
    ],
    ['larger than it may be', `#${'x'.repeat(1_100_000)}\n${GOOD}`],
  ])('%s', async (_what, text) => {
    const before = await listConnectors(hub)
    const file = write('pantry', text)
    const { connectors, faults } = await listConnectors(hub)
    expect(connectors.map(({ manifest }) => manifest)).toEqual(
      before.connectors.map(({ manifest }) => manifest),
    )
    expect(faults).toEqual([{ file, message: expect.stringMatching(/./) }])
  })

  test('a folder without a manifest, and one that has the name of a shipped one', async () => {
    mkdirSync(join(folder, 'connectors', 'bare'), { recursive: true })
    write('amazon', GOOD.replace('pantry', 'amazon'))
    const { faults } = await listConnectors(hub)
    expect(faults.map(({ message }) => message)).toEqual([
      'amazon is shipped already',
      'There is no manifest.',
    ])
  })

  test('a manifest that is a link', async () => {
    const file = write('pantry', GOOD)
    mkdirSync(join(folder, 'connectors', 'link'))
    symlinkSync(file, join(folder, 'connectors', 'link', 'manifest.yaml'))
    const { faults } = await listConnectors(hub)
    expect(faults).toMatchObject([{ message: 'not a plain file' }])
  })
})

test('an id that no connector can have finds nothing', async () => {
  for (const id of ['', '..', 'amazon/../feed', 'AMAZON', '__proto__', 'x'.repeat(10_000)])
    expect(await findConnector(hub, id)).toBeUndefined()
})
