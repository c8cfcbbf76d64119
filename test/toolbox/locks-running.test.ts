import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { lockAdd } from '../../src/domains/toolbox/watch/lock-add.ts'
import { lockRelease } from '../../src/domains/toolbox/watch/lock-release.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { startToolHub, type ToolHub, type Way } from './surface-hub.fixture.ts'
import { ask } from './watch-hub.fixture.ts'

/** Tells that it runs, and ends only when somebody ends it or says that it may. */
const ENDLESS = `import { existsSync, writeFileSync } from 'node:fs'
writeFileSync('begun', '')
setInterval(() => existsSync('enough') && process.exit(), 50)
`

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

/** Has an agent at a service of its own run a test that does not end, and waits until it runs. */
async function begin(way: Way, name: string) {
  const service = `services/${name}`
  tools.project.write(`${service}/endless.mjs`, ENDLESS)
  const answer = tools.call(way, 'run_test', { target: 'endless.mjs' }, { service, agent_id: name })
  const begun = join(tools.project.root, service, 'begun')
  await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 30_000 })
  return { answer, folder: join(tools.project.root, service) }
}

describe('a lock that comes while a command runs', () => {
  test.each<[Way, 'agent' | 'service' | 'all']>([
    ['rest', 'agent'],
    ['mcp', 'agent'],
    ['cli', 'agent'],
    ['rest', 'service'],
    ['rest', 'all'],
  ])('ends it and tells the agent so, over %s by the lock of kind %s', async (way, kind) => {
    const name = `${way}-${kind}`
    const { answer, folder } = await begin(way, name)
    const locked = { agent: { kind, id: name }, service: { kind, id: folder }, all: { kind } }[kind]
    await ask(tools.hub.hub, lockAdd, locked)
    const { error, text } = await answer
    await ask(tools.hub.hub, lockRelease, locked)
    expect(error, text).toMatchObject({
      code: 'Locked',
      message: 'The owner has locked this. It was under way, and was stopped.',
    })
    const records = (await auditRecords(tools.hub)).filter(({ operation }) => operation === 'run_test')
    const told = records.slice(-2).map(({ outcome, code }) => [outcome, code])
    expect(told).toEqual([
      ['allowed', null],
      ['denied', 'LOCKED'],
    ])
  })

  test('leaves what others do', async () => {
    const { answer } = await begin('rest', 'bystander')
    const locked = { kind: 'agent', id: 'somebody-else' }
    await ask(tools.hub.hub, lockAdd, locked)
    const { answer: stopped } = await begin('rest', 'second')
    await ask(tools.hub.hub, lockAdd, { kind: 'agent', id: 'second' })
    expect((await stopped).error?.code).toBe('Locked')
    tools.project.write('services/bystander/enough', '')
    expect(await answer).toMatchObject({ status: 'success', data: { exit_code: 0 } })
  })
})
