import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { fakeProviderTokens } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  callDirectly,
  registry,
  sendJson,
  startToolHub,
  type ToolHub,
  toolNames,
} from './surface-hub.fixture.ts'

const TOKEN = fakeProviderTokens().github_token as string
const PLAIN = 'plainvalue123'
const RUNS = 25

let tools: ToolHub
let outside: string
beforeAll(async () => {
  tools = await startToolHub(undefined, { env: { FOO: PLAIN } })
  tools.project.write('services/web/src/key.txt', `the key is ${TOKEN}, the value ${PLAIN}\n`)
  outside = tools.project.fingerprint('services/web', '.git', '.flow')
})
afterAll(() => tools[Symbol.asyncDispose]())

/** Values that tools have trouble with; no manager, unit or remote that something could be done with. */
const PATHS = [
  'src/main.mjs',
  'src/key.txt',
  'docs',
  '.',
  '',
  '../other/x.txt',
  '/etc/passwd',
  'a\0b',
  '.env',
]
const ODD = ['-f', '--help', '$(id)', '`id`', '\u202e', '..', 'HEAD:5', '(a+)+$', '(?=x)', 'x'.repeat(5_000)]
const text = fc.oneof(
  fc.constantFrom(...PATHS, ...ODD, TOKEN, PLAIN, `src/${TOKEN}`),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: text },
  fc.constantFrom(true, false, null, 0, -1, 1, 7.5, 1e300, {}, [], [[]]),
  fc.array(text, { maxLength: 3 }),
  fc.record({ operation: text, spec: text, content: text, match_mode: fc.constantFrom('exact', 'regex') }),
)

/** Arguments for a tool: its own names with any values, now and then one that it does not have. */
function argumentsFor(tool: string): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(registry.get(tool)?.input.shape ?? {})
  const own = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
  const stray = fc.dictionary(fc.constantFrom('role', 'cwd', '__proto__', TOKEN), value, { maxKeys: 1 })
  return fc.tuple(own, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, stray)).map(([one, more]) => ({
    ...one,
    ...more,
  }))
}

function rolesOf(tool: string): readonly string[] {
  const authority = registry.get(tool)?.authority
  return authority?.kind === 'seat' ? authority.roles : []
}

function expectFit(tool: string, answer: string): void {
  const result = JSON.parse(answer)
  const { success, error } = registry.get(tool)?.output.safeParse(result) ?? {}
  expect(success, `${error}: ${answer.slice(0, 300)}`).toBe(true)
  if (result.status === 'success') expect([result.data, result.error]).toEqual([expect.anything(), undefined])
  else
    expect([result.data, result.error.code]).toEqual([undefined, expect.not.stringMatching('InternalError')])
  expect(answer).not.toContain(TOKEN)
  expect(answer).not.toContain(PLAIN)
}

describe.each(toolNames)('%s with any arguments', (tool) => {
  const role = rolesOf(tool)[0] as string

  verifies(
    [
      'TOOL-005',
      'TOOL-006',
      'TOOL-009',
      'TOOL-010',
      'TOOL-011',
      'TOOL-013',
      'TOOL-014',
      'TOOL-125',
      'TOOL-128',
    ],
    'answers with a result of the contract, redacted, and never throws',
    async () => {
      const property = fc.asyncProperty(argumentsFor(tool), async (args) => {
        expectFit(tool, (await callDirectly(tools, tool, args, { role })).text)
      })
      await fc.assert(property, { numRuns: RUNS })
      expect(tools.project.fingerprint('services/web', '.git', '.flow')).toBe(outside)
    },
    120_000,
  )
})

describe('a body that is anything at all', () => {
  verifies(['TOOL-005', 'TOOL-014'], 'is answered with a result too', async () => {
    const bearer = await tools.bearer()
    const property = fc.asyncProperty(
      fc.constantFrom('read_file', 'list_files'),
      fc.json(),
      async (tool, body) => {
        const sent = JSON.parse(body)
        const { text: answer } = await sendJson(tools.hub.url, 'POST', `/api/v1/tools/${tool}`, bearer, sent)
        expectFit(tool, answer)
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })
})

describe('what the calls left', () => {
  verifies('TOOL-132', 'in the security stream and the log holds no secret either', async () => {
    for (const path of [`../${TOKEN}`, `../${PLAIN}`]) await callDirectly(tools, 'read_file', { path })
    const { violations } = await tools.owner('GET', '/api/v1/toolbox/violations?limit=200')
    expect(violations.length).toBeGreaterThan(0)
    for (const said of [JSON.stringify(violations), tools.hub.logged.join('')]) {
      expect(said).not.toContain(TOKEN)
      expect(said).not.toContain(PLAIN)
    }
  })
})
