import { symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { TOOL_ROLES } from '../../src/domains/toolbox/tool-context.ts'
import type { Clock } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { callDirectly, sendJson, startToolHub, WAYS } from './surface-hub.fixture.ts'
import { NODE_TOOLCHAIN } from './surface-project.fixture.ts'

const REPLACE = { operation: 'replace', spec: "'hello'", content: "'good day'" }

/** Each file tool with arguments that would do something to a file of another service. */
const FILE_TOOLS = (path: string): [string, object][] => [
  ['read_file', { path }],
  ['write_file', { path, content: 'mine now\n' }],
  ['edit_file', { path, edits: [{ operation: 'replace', spec: 'theirs', content: 'mine' }] }],
  ['search_file', { path, regex: 'theirs', recursive: false }],
  ['count_matches', { path, regex: 'theirs', recursive: false }],
  ['list_files', { path }],
  ['delete_file', { path }],
]

describe.each(WAYS)('an agent by %s', (way) => {
  verifies('TOOL-023', 'as dev reads, writes, edits and tests its service', async () => {
    await using tools = await startToolHub()
    const call = (tool: string, args: object) => tools.call(way, tool, args)
    expect((await call('read_file', { path: 'src/main.mjs' })).data.content).toContain("'hello'")
    expect((await call('edit_file', { path: 'src/main.mjs', edits: [REPLACE] })).status).toBe('success')
    expect(tools.project.read('services/web/src/main.mjs')).toBe("export const greeting = 'good day'\n")
    expect((await call('write_file', { path: 'src/more/new.mjs', content: 'export {}\n' })).status).toBe(
      'success',
    )
    expect(tools.project.read('services/web/src/more/new.mjs')).toBe('export {}\n')
    const run = await call('run_test', { target: 'src/main.test.mjs' })
    expect(run.data).toMatchObject({ stdout: '1 passed\n', exit_code: 0 })
  })

  verifies(
    ['TOOL-046', 'TOOL-071', 'TOOL-079'],
    'gets nowhere near another service with any file tool',
    async () => {
      await using tools = await startToolHub()
      const before = tools.project.fingerprint()
      const paths = ['../other/x.txt', '../other/missing.txt']
      const said = new Set<string>()
      for (const path of paths) {
        for (const [tool, args] of FILE_TOOLS(path)) {
          const { error, text } = await tools.call(way, tool, args, { agent_id: 'wanderer' })
          expect(error?.code, `${tool} ${path}`).toBe('SecurityError')
          expect(text).not.toContain('theirs')
          said.add(`${error?.message} ${error?.suggestion}`)
        }
      }
      expect(said.size).toBe(1)
      const { violations } = await tools.owner('GET', '/api/v1/toolbox/violations?agent_id=wanderer&limit=50')
      expect(violations).toHaveLength(14)
      expect(violations.every((event: any) => event.violation_type === 'scope_outside')).toBe(true)
      expect(tools.project.fingerprint()).toBe(before)
    },
  )

  verifies('TOOL-030', 'as product_owner reads documents and plans, and nothing else', async () => {
    await using tools = await startToolHub()
    const { project } = tools
    project.write('docs/policies/rule.md', '# Rule\n')
    symlinkSync('../src/main.mjs', `${project.service}/docs/link.md`)
    const scope = { shared_paths: ['docs/policies/'] }
    project.write('.flow/config.json', JSON.stringify({ ...NODE_TOOLCHAIN, scope }))
    const at = { role: 'product_owner', agent_id: 'po' }
    const code = (tool: string, args: object) => tools.codeOf(way, tool, args, at)
    expect((await tools.call(way, 'read_file', { path: 'docs/a.md' }, at)).data.content).toBe('# A\n')
    for (const path of ['plans/p.md', 'docs/../docs/a.md', '../../docs/policies/rule.md'])
      expect(await code('read_file', { path }), path).toBe('success')
    expect(await code('list_files', { path: 'docs', recursive: true })).toBe('success')
    expect(await code('search_file', { path: 'plans', regex: 'Plan', recursive: true })).toBe('success')
    expect(await code('count_matches', { path: 'docs', regex: 'A', recursive: true })).toBe('success')
    const others = [
      'src/main.mjs',
      'src/none.ts',
      'shared_contracts/s.md',
      'docs/../src/main.mjs',
      'docsx/a.md',
      '.',
    ]
    for (const path of others) {
      expect(await code('read_file', { path }), path).toBe('PermissionDenied')
      expect(await code('list_files', { path }), path).toBe('PermissionDenied')
      expect(await code('search_file', { path, regex: 'x', recursive: true }), path).toBe('PermissionDenied')
      expect(await code('count_matches', { path, regex: 'x', recursive: true }), path).toBe(
        'PermissionDenied',
      )
    }
    expect(await code('read_file', { path: 'docs/link.md' })).toBe('PermissionDenied')
    expect(await code('read_file', { path: '../other/x.txt' })).toBe('SecurityError')
    const { violations } = await tools.owner('GET', '/api/v1/toolbox/violations?agent_id=po&limit=50')
    expect(violations.filter((event: any) => event.violation_type === 'scope_role')).toHaveLength(25)
  })

  verifies('TOOL-140', 'cannot change the policy of its project', async () => {
    await using tools = await startToolHub()
    const before = tools.project.fingerprint()
    for (const [service, path] of [
      ['services/web', '../../.flow/config.json'],
      ['.', '.flow/config.json'],
      ['.', 'services/../.flow/config.json'],
      ['.flow', 'config.json'],
    ] as const) {
      for (const [tool, args] of FILE_TOOLS(path)) {
        const code = await tools.codeOf(way, tool, args, { service })
        expect(['SecurityError', 'PermissionDenied'], `${service} ${tool} ${path}: ${code}`).toContain(code)
      }
    }
    expect(tools.project.fingerprint()).toBe(before)
  })
})

describe('the rate of calls', () => {
  verifies(
    'TOOL-003',
    'is limited per agent where the project says so; what is too much is not done',
    async () => {
      const clock: Clock = { now: new Date('2026-11-01T12:00:00.000Z') }
      const config = { ...NODE_TOOLCHAIN, rate_limits: { calls_per_minute: 3 } }
      await using tools = await startToolHub(config, { clock })
      const write = (content: string, agent_id = 'busy') =>
        tools.codeOf('rest', 'write_file', { path: 'rate.txt', content }, { agent_id })
      for (const content of ['1', '2', '3']) expect(await write(content)).toBe('success')
      expect(await write('4')).toBe('RateLimitExceeded')
      expect(await tools.codeOf('mcp', 'read_file', { path: 'docs/a.md' }, { agent_id: 'busy' })).toBe(
        'RateLimitExceeded',
      )
      expect(tools.project.read('services/web/rate.txt')).toBe('3')
      const bearer = await tools.bearer({ agent_id: 'busy' })
      const again = await sendJson(tools.hub.url, 'POST', '/api/v1/tools/git_status', bearer, {})
      expect([again.status, again.headers.get('retry-after')]).toEqual([429, '60'])
      expect(await write('other', 'calm')).toBe('success')
      clock.now = new Date('2026-11-01T12:01:00.000Z')
      expect(await write('5')).toBe('success')
      expect(tools.project.read('services/web/rate.txt')).toBe('5')
    },
  )
})

describe('many seats at once', () => {
  test('each keep their place: no guard is closed under a call', async () => {
    await using tools = await startToolHub()
    const SEATS = 150
    let waiting = 0
    const [allThere, halfDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const patient = defineTool({
      name: 'patient_tool',
      description: 'Waits for all others, and every second one until the rest is done; then reads.',
      effect: 'update',
      roles: TOOL_ROLES,
      input: z.strictObject({ late: z.boolean() }),
      output: z.strictObject({ content: z.string() }),
      async handle({ guard, input }) {
        if (++waiting === SEATS) allThere.resolve()
        await allThere.promise
        if (input.late) await halfDone.promise
        return { content: guard.readFile('a.txt', 100).bytes.toString() }
      },
    })
    const services = Array.from({ length: SEATS }, (_, at) => `services/s${at}`)
    for (const service of services) tools.project.write(`${service}/a.txt`, service)
    const calls = services.map((service, at) =>
      callDirectly(tools, patient, { late: at % 2 === 1 }, { service }),
    )
    void Promise.all(calls.filter((_, at) => at % 2 === 0)).then(() => halfDone.resolve())
    const answers = await Promise.all(calls)
    expect(answers.map(({ text }) => JSON.parse(text).data?.content)).toEqual(services)
  })
})
