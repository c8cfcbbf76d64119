import { build, type RolldownOutput } from 'rolldown'
import { expect, test } from 'vitest'
import { PROGRAM } from '../../scripts/program-graph.ts'

/** What `knowtation flow list` reads of the program, at its start and when it opens the home and the flows. */
const STARTS = [
  'src/main.ts',
  'cli/hub/local-connection.ts',
  'storage/sqlite/sqlite.ts',
  'flows/flow-list.ts',
]

/** What a plain command may read of the program. A room that is not here is read by who needs it. */
const ROOMS = [
  'boundary',
  'domains/flows',
  'operations',
  'platform/approvals',
  'platform/audit',
  'platform/basics',
  'platform/identity',
  'platform/locks',
  'platform/pins',
  'platform/policy',
  'platform/redaction',
  'platform/secrets',
  'platform/storage',
  'platform/tracing',
  'platform/upstream',
  'surfaces/cli',
]

const START_LIMIT_BYTES = 480_000

test('a plain command reads one part of the program, and that has only what it needs', async () => {
  const parts = partsOf(await build({ ...PROGRAM, write: false }))
  const entries = parts.filter(({ facadeModuleId }) => STARTS.some((end) => facadeModuleId?.endsWith(end)))
  expect(entries).toHaveLength(STARTS.length)
  const read = withImports(parts, entries)
  expect(
    [...read].filter((part) => part.code.length > 10_000).map(({ name }) => name),
    'parts with code',
  ).toEqual(['start'])
  const modules = [...read].flatMap(({ moduleIds }) => moduleIds)
  const sources = modules.flatMap((id) => /\/src\/(.+)\.ts$/.exec(id)?.[1] ?? [])
  expect(sources).toContain('domains/flows/flow-list')
  const rooms = sources.flatMap(
    (source) => /^((?:domains|platform|surfaces)\/)?[^/]+(?=\/)/.exec(source)?.[0] ?? [],
  )
  expect([...new Set(rooms)].toSorted()).toEqual(ROOMS)
  expect(packagesOf(modules), 'packages').toEqual(['zod'])
  expect([...read].find(({ name }) => name === 'start')?.code.length).toBeLessThan(START_LIMIT_BYTES)
}, 60_000)

type Part = Extract<RolldownOutput['output'][number], { type: 'chunk' }>

function partsOf({ output }: RolldownOutput): Part[] {
  return output.filter((part): part is Part => part.type === 'chunk')
}

/** These parts and all that they import at once. */
function withImports(parts: readonly Part[], entries: readonly Part[]): Set<Part> {
  const read = new Set(entries)
  for (const { imports } of read)
    for (const part of parts) if (imports.includes(part.fileName)) read.add(part)
  return read
}

function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}
