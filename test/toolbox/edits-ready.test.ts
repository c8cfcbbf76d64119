import { readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { lockAdd } from '../../src/domains/toolbox/watch/lock-add.ts'
import { lockRelease } from '../../src/domains/toolbox/watch/lock-release.ts'
import { StorageUnavailable } from '../../src/platform/storage/database.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { callDirectly, startToolHub, type ToolHub } from './surface-hub.fixture.ts'
import { ask } from './watch-hub.fixture.ts'

const PATH = 'src/main.mjs'

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

const edit = (spec: string, content: string, more: object = {}) => ({
  path: PATH,
  edits: [{ operation: 'replace', spec, content, ...more }],
})

const audit = () => vi.spyOn(tools.hub.hub.audit, 'append')
const namesBeside = () =>
  readdirSync(join(tools.project.service, 'src')).filter((name) => name.startsWith('.'))

/** What this process holds open in the project. */
function heldOpen(): string[] {
  return readdirSync('/proc/self/fd')
    .flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)]
      } catch {
        return []
      }
    })
    .filter((path) => path.startsWith(join(tools.project.service, 'src')))
}

describe('an edit that is made ready before its record', () => {
  verifies('TOOL-065', 'is in place only when it is on record', async () => {
    const written = Promise.withResolvers<void>()
    const { append } = tools.hub.hub.audit
    audit().mockImplementationOnce(async (record) => {
      await written.promise
      return append(record)
    })
    const before = tools.project.read(`services/web/${PATH}`)
    const answer = callDirectly(tools, 'edit_file', edit('hello', 'recorded'))
    // The lock alone has a name; the new file has none yet.
    await vi.waitFor(() => expect(namesBeside()).toEqual(['.lock.main.mjs']))
    await new Promise((later) => setTimeout(later, 50))
    expect(tools.project.read(`services/web/${PATH}`)).toBe(before)
    written.resolve()
    expect((await answer).ok).toBe(true)
    expect(tools.project.read(`services/web/${PATH}`)).toContain('recorded')
    expect(namesBeside()).toEqual([])
    expect(await tools.codeOf('direct', 'edit_file', edit('recorded', 'hello'))).toBe('success')
  })

  test.each([
    ['plain text', edit('hello', 'never')],
    ['a pattern', edit('hel+o', 'never', { match_mode: 'regex' })],
    ['a file that is missing', { ...edit('hello', 'never'), path: 'src/nothing.mjs' }],
  ])('leaves nothing behind where it cannot be recorded: %s', async (_, args) => {
    const before = tools.project.fingerprint()
    audit().mockRejectedValueOnce(new StorageUnavailable('no room'))
    const { status, text } = await callDirectly(tools, 'edit_file', args)
    expect([status, JSON.parse(text).error.code]).toEqual([503, 'StorageUnavailable'])
    expect(tools.project.fingerprint()).toBe(before)
    await vi.waitFor(() => expect(heldOpen()).toEqual([]))
    // Nor is the lock still held.
    for (const [spec, content] of [
      ['hello', 'again'],
      ['again', 'hello'],
    ] as const)
      expect(await tools.codeOf('direct', 'edit_file', edit(spec, content))).toBe('success')
  })

  verifies('TOOL-032', 'leaves nothing behind where its event cannot be written', async () => {
    const before = tools.project.fingerprint()
    vi.spyOn(tools.hub.hub.db, 'transaction').mockRejectedValue(new StorageUnavailable('no room'))
    const answer = await callDirectly(tools, 'edit_file', edit('hello', 'never'), { role: 'sre' })
    vi.restoreAllMocks()
    expect(JSON.parse(answer.text).error.code).toBe('StorageUnavailable')
    expect(tools.project.fingerprint()).toBe(before)
    await vi.waitFor(() => expect(heldOpen()).toEqual([]))
  })

  test('is not made where the owner locks its agent while it waits for the file', async () => {
    const before = tools.project.read(`services/web/${PATH}`)
    tools.project.write('services/web/src/.lock.main.mjs', 'of another call')
    const seat = { agent_id: 'late' }
    const answer = callDirectly(tools, 'edit_file', edit('hello', 'never'), seat)
    await ask(tools.hub.hub, lockAdd, { kind: 'agent', id: 'late' })
    rmSync(join(tools.project.service, 'src/.lock.main.mjs'))
    expect(JSON.parse((await answer).text).error.code).toBe('Locked')
    await ask(tools.hub.hub, lockRelease, { kind: 'agent', id: 'late' })
    expect(tools.project.read(`services/web/${PATH}`)).toBe(before)
    expect(namesBeside()).toEqual([])
    await vi.waitFor(() => expect(heldOpen()).toEqual([]))
  })

  verifies('TOOL-056', 'has one record where it can be told at once that it fails', async () => {
    const recordsOf = async () =>
      (await auditRecords(tools.hub)).filter(({ operation }) => operation === 'edit_file')
    const before = await recordsOf()
    expect(await tools.codeOf('direct', 'edit_file', edit('not there', 'x'))).toBe('PatchError')
    const fresh = (await recordsOf()).slice(before.length)
    expect(fresh.map(({ code }) => code)).toEqual(['PatchError'])
    expect(namesBeside()).toEqual([])
  })

  verifies('TOOL-046', 'is refused for its path before anything else is looked at', async () => {
    const args = { ...edit('[REDACTED:jwt]', 'x'), path: '../other/x.txt' }
    expect(await tools.codeOf('direct', 'edit_file', args)).toBe('SecurityError')
  })
})
