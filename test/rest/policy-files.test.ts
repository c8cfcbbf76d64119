import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sendAsOwner } from '../harness/call-rest.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { codeOf, recorded, send, startRestHub } from './rest-hub.fixture.ts'
import { answerOf, requestOf, requireExpectation, routed } from './routes.fixture.ts'

const AMBIGUOUS = 'FLOW_SCOPE_AMBIGUOUS'
let hub: TestHub
beforeEach(async () => void (hub = await startRestHub()))
afterEach(() => hub.close())

type Who = 'viewer' | 'editor' | 'evaluator' | 'admin' | 'hub' | 'owner'
const ask = (path: string, who: Who = 'admin') =>
  who === 'owner' ? sendAsOwner(hub, { path }) : send(hub.url, { path, bearer: hub.credentials.bearers[who] })

async function scopesOf(who: Who): Promise<string[]> {
  const answer = await ask('/api/v1/flows', who)
  expect(answer.status).toBe(200)
  const { flows } = JSON.parse(answer.text) as { flows: { scope: string }[] }
  return [...new Set(flows.map(({ scope }) => scope))].toSorted()
}

function members(content: object | string): void {
  hub.write(hub.home.vaultMembers('default'), content)
}

function override(who: Exclude<Who, 'hub' | 'owner'>, rule: object): void {
  members({ scope_overrides: { [hub.credentials.token_ids[who]]: rule } })
}

describe('members.yaml', () => {
  verifies(
    ['FLOW-033', 'FLOW-036'],
    'without it the role decides the scopes, and the highest is in effect',
    async () => {
      const { flows } = JSON.parse((await ask('/api/v1/flows', 'admin')).text) as {
        flows: { scope: string }[]
      }
      expect(new Set(flows.map(({ scope }) => scope))).toEqual(new Set(['personal', 'project']))
      const effective = async (who: Who, query = '') =>
        (JSON.parse((await ask(`/api/v1/flows${query}`, who)).text) as { effective_scope: string })
          .effective_scope
      expect(await effective('admin')).toBe('org')
      expect(await effective('editor')).toBe('project')
      expect(await effective('editor', '?scope=personal')).toBe('personal')
      for (const who of ['viewer', 'evaluator'] as const) {
        expect(await effective(who)).toBe('personal')
        expect(await scopesOf(who)).toEqual(['personal'])
      }
    },
  )

  verifies('FLOW-034', 'an override replaces the scopes of the role, wider or narrower', async () => {
    expect(await scopesOf('admin')).toEqual(['personal', 'project'])
    override('admin', { scopes: ['personal'] })
    expect(await scopesOf('admin')).toEqual(['personal'])
    const hidden = await ask('/api/v1/flows/flow_multi_repo_change')
    const missing = await ask('/api/v1/flows/flow_nope')
    expect([hidden.status, hidden.text]).toEqual([404, missing.text])
    expect((await ask('/api/v1/flows?scope=project')).status).toBe(403)
    override('viewer', { scopes: ['project'] })
    expect(await scopesOf('viewer')).toEqual(['project'])
    expect(await scopesOf('admin')).toEqual(['personal', 'project'])
    override('admin', { scopes: [] })
    expect(await scopesOf('admin')).toEqual([])
    override('admin', { ambiguous: true })
    expect(FLOW_READS.length).toBeGreaterThanOrEqual(4)
    for (const { path } of FLOW_READS) {
      const answer = await ask(path)
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 400, 'FLOW_SCOPE_AMBIGUOUS'])
    }
    expect(await scopesOf('editor')).toEqual(['personal', 'project'])
  })

  test('an override counts in its own vault only', async () => {
    hub.write(hub.home.vaultMembers('other'), { scope_overrides: { hub: { ambiguous: true } } })
    expect(await scopesOf('hub')).toEqual(['personal', 'project'])
    const headers = { 'x-vault-id': 'other' }
    const other = await send(hub.url, { path: '/api/v1/flows', bearer: hub.credentials.bearers.hub, headers })
    expect([other.status, codeOf(other)]).toEqual([400, 'FLOW_SCOPE_AMBIGUOUS'])
  })
})

const FLOW = '/api/v1/flows/flow_research_brief'

/** Every read that depends on the scopes of the caller, and what it answers in peace. */
const FLOW_READS = routed
  .filter(({ effect, rest, errors, authority, gate: gated }) => {
    const isMembers = authority.kind === 'member'
    return effect === 'read' && isMembers && !gated && rest?.startsWith('GET') && AMBIGUOUS in errors
  })
  .map((operation) => {
    const { input, answer } = requireExpectation(operation)
    return { path: requestOf(operation, input({} as TestHub)).path, answer }
  })

/** Ways in which a settings file can be of no use. */
const DAMAGE: [string, (path: string) => void][] = [
  ['no YAML', (path) => writeFileSync(path, 'scope_overrides: [')],
  ['an unknown key', (path) => writeFileSync(path, 'overrides: {}')],
  ['a wrong scope', (path) => writeFileSync(path, 'scope_overrides: {a: {scopes: [galaxy]}}')],
  [
    'both kinds of rule',
    (path) => writeFileSync(path, 'scope_overrides: {a: {scopes: [], ambiguous: true}}'),
  ],
  ['ambiguous said no', (path) => writeFileSync(path, 'scope_overrides: {a: {ambiguous: false}}')],
  ['a repeated key', (path) => writeFileSync(path, 'scope_overrides: {}\nscope_overrides: {}')],
  ['two documents', (path) => writeFileSync(path, '{}\n---\n{}')],
  ['a scalar', (path) => writeFileSync(path, 'yes')],
  ['bytes of nothing', (path) => writeFileSync(path, Buffer.alloc(64))],
  ['more than a megabyte', (path) => writeFileSync(path, `{}\n#${'x'.repeat(1_048_576)}`)],
  ['a bomb of aliases', (path) => writeFileSync(path, aliasBomb())],
  ['endless nesting', (path) => writeFileSync(path, '['.repeat(100_000))],
  ['a folder', (path) => mkdirSync(path)],
  ['a pipe', makePipe],
  ['a link to nowhere', (path) => symlinkSync('/nonexistent/members.yaml', path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
  ['a link to another file', (path) => symlinkSync(hub.home.hubToken, path)],
  [
    'a file where its folder should be',
    (path) => {
      rmSync(dirname(path), { recursive: true })
      writeFileSync(dirname(path), '')
    },
  ],
]

/** Whoever reads the pipe gets a sound text out of it, instead of waiting for ever. */
function makePipe(path: string): void {
  execFileSync('mkfifo', [path])
  pipeWriters.push(
    spawn('sh', ['-c', 'while [ -p "$0" ]; do echo "{}" > "$0"; done', path], { stdio: 'ignore' }),
  )
}
const pipeWriters: ChildProcess[] = []
afterAll(() => pipeWriters.forEach((writer) => writer.kill()))

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, at) => {
    const inner = at === 0 ? '"x"' : `*a${at - 1}`
    return `a${at}: &a${at} [${Array.from({ length: 10 }, () => inner).join(',')}]`
  })
  return levels.join('\n')
}

async function gate(): Promise<string | undefined> {
  const { findings } = JSON.parse((await ask('/api/v1/doctor', 'owner')).text) as {
    findings: { subject: string; state: string }[]
  }
  return findings.find(({ subject }) => subject === 'FLOW_EXTERNAL_AGENT_ENABLED')?.state
}

describe('a damaged file', () => {
  verifies(
    'FLOW-034',
    'members.yaml in any state but whole closes every flow read',
    async () => {
      const path = hub.home.vaultMembers('default')
      for (const [what, damage] of DAMAGE) {
        rmSync(dirname(path), { recursive: true, force: true })
        mkdirSync(dirname(path), { recursive: true })
        damage(path)
        for (const { path: read } of FLOW_READS) {
          const answer = await ask(read, 'hub')
          expect([what, answer.status, codeOf(answer)]).toEqual([what, 400, 'FLOW_SCOPE_AMBIGUOUS'])
        }
        const doctor = await ask('/api/v1/doctor', 'owner')
        expect(JSON.parse(doctor.text)).toMatchObject({ healthy: false })
        // The text of the file is the owner's; only its name and what is wrong with it are told.
        expect(doctor.text).toContain('members.yaml')
      }
      rmSync(dirname(path), { recursive: true, force: true })
      expect((await ask(FLOW, 'hub')).status).toBe(200)
    },
    60_000,
  )

  test('policy.yaml in any state but whole stops no read and opens no gate', async () => {
    const path = hub.home.vaultPolicy('default')
    for (const [what, damage] of DAMAGE) {
      if (what === 'a file where its folder should be') continue
      rmSync(dirname(path), { recursive: true, force: true })
      mkdirSync(dirname(path), { recursive: true })
      damage(path)
      for (const { path: read, answer } of FLOW_READS)
        expect([what, read, answerOf(await ask(read))]).toEqual([what, read, answer])
      const { findings } = JSON.parse((await ask('/api/v1/doctor', 'owner')).text) as {
        findings: { subject: string; state: string }[]
      }
      const gates = findings.filter(({ subject }) => subject.startsWith('FLOW_'))
      expect(gates.length).toBeGreaterThan(0)
      expect(new Set(gates.map(({ state }) => state))).toEqual(new Set(['off']))
      expect(findings).toContainEqual(
        expect.objectContaining({ subject: 'policy of vault default', state: 'wrong' }),
      )
    }
  }, 60_000)

  test.each(['.', '..'])('a tool that no address can name (%s) damages the policy, by name', async (id) => {
    const path = hub.home.vaultPolicy('default')
    for (const allowed of [id, { id }]) {
      hub.write(path, { external_agent: { enabled: true, allowed_tools: ['...', '.a', allowed] } })
      expect(await gate()).toBe('off')
      const { findings } = JSON.parse((await ask('/api/v1/doctor', 'owner')).text) as {
        findings: { subject: string; detail: string }[]
      }
      const told = findings.find(({ subject }) => subject === 'policy of vault default')?.detail
      expect(told).toBe(`${path}: external_agent.allowed_tools: no address can name a tool called . or ..`)
    }
    hub.write(path, { external_agent: { enabled: true, allowed_tools: ['...', '.a'] } })
    expect(await gate()).toBe('on')
    rmSync(path)
  })

  test('an open gate closes at once when the file that opened it is damaged', async () => {
    const path = hub.home.vaultPolicy('default')
    hub.write(path, { external_agent: { enabled: true } })
    expect(await gate()).toBe('on')
    hub.write(path, 'external_agent: {enabled: true')
    expect(await gate()).toBe('off')
    hub.write(path, { external_agent: { enabled: true } })
    expect(await gate()).toBe('on')
    rmSync(path)
    expect(await gate()).toBe('off')
  })
})

describe('an edit', () => {
  test('counts from the next call, however soon and small', async () => {
    const id = hub.credentials.token_ids.admin
    const rule = (scope: string) => `scope_overrides: {${id}: {scopes: [${scope.padEnd(8)}]}}`
    for (let round = 0; round < 60; round++) {
      const scope = round % 2 === 0 ? 'personal' : 'project'
      members(rule(scope))
      expect(await scopesOf('admin')).toEqual([scope])
    }
  })

  test('that keeps size and time of the file is noticed', async () => {
    const path = hub.home.vaultMembers('default')
    const id = hub.credentials.token_ids.admin
    const write = (scope: string) => {
      members(`scope_overrides: {${id}: {scopes: [${scope.padEnd(8)}]}}`)
      utimesSync(path, new Date('2026-01-01'), new Date('2026-01-01'))
    }
    for (const scope of ['personal', 'project', 'personal']) {
      write(scope)
      expect(await scopesOf('admin')).toEqual([scope])
    }
  })

  test('changes the revision that the records of later calls name', async () => {
    const revisionOf = async () => {
      const { result, records } = await recorded(hub, () => ask('/api/v1/whoami'))
      const { policy_revision } = JSON.parse(result.text) as { policy_revision: string }
      expect(records.map((record) => record.policy_revision)).toEqual([policy_revision])
      return policy_revision
    }
    const seen = [await revisionOf()]
    expect(seen).toEqual(['none'])
    hub.write(hub.home.vaultPolicy('default'), { external_agent: { enabled: false } })
    seen.push(await revisionOf())
    override('viewer', { scopes: ['personal'] })
    seen.push(await revisionOf())
    override('viewer', { scopes: ['project'] })
    seen.push(await revisionOf())
    members('[')
    seen.push(await revisionOf())
    expect(seen.at(-1)).toContain('damaged-')
    expect(new Set(seen).size).toBe(5)
  })

  test('of a refused call’s vault is named too', async () => {
    override('admin', { ambiguous: true })
    const { records } = await recorded(hub, () => ask('/api/v1/flows'))
    expect(records).toMatchObject([{ code: 'FLOW_SCOPE_AMBIGUOUS', outcome: 'denied' }])
    expect(records[0]?.policy_revision).not.toBe('none')
  })
})
