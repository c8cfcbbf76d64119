import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { call, requireOperation } from '../harness/call.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { bundleOf } from './sample-flows.ts'

const ID = 'flow_filed'

describe.each(DATABASES)('files of projections on %s', (database) => {
  let hub: TestHub
  let folder: string
  beforeAll(async () => {
    hub = await startTestHub({ database })
    folder = join(hub.home.folder, 'work')
    mkdirSync(folder)
    await storeFlows(hub.hub, 'default', [bundleOf(ID)])
  })
  afterAll(() => hub.close())

  const fileAt = (name: string) => join(folder, name)

  function project(...more: string[]) {
    return runInProcess(['flow', 'project', ID, '--harness', 'cli_runbook', ...more], hub.options.env)
  }

  async function check(name: string) {
    const { exit, stdout } = await project('--out', fileAt(name), '--check', '--json')
    return { exit, ...(JSON.parse(stdout) as { reason: string; stale: boolean }) }
  }

  async function canonical(): Promise<string> {
    const input = { flow_id: ID }
    return (await call(hub, 'rest', { operation: requireOperation('flow_export'), input, as: 'admin' })).text
  }

  /** What a file system shows of a file. */
  function traceOf(name: string) {
    const { mtimeMs, ctimeMs, ino, size } = statSync(fileAt(name))
    return { mtimeMs, ctimeMs, ino, size, text: readFileSync(fileAt(name), 'utf8') }
  }

  verifies('FLOW-052', '--out is the only way a file is written', async () => {
    const printed = await project()
    expect([printed.exit, readdirSync(folder)]).toEqual([0, []])
    await project('--json')
    expect(readdirSync(folder)).toEqual([])
    expect((await project('--out', fileAt('runbook.md'))).exit).toBe(0)
    expect(readdirSync(folder)).toEqual(['runbook.md'])
    expect(readFileSync(fileAt('runbook.md'), 'utf8')).toBe(printed.stdout)
  })

  verifies('FLOW-051', 'each way a file can stand to the flow is told, and nothing flows back', async () => {
    const before = await canonical()
    const { stdout: fresh } = await project()
    writeFileSync(fileAt('clean.md'), fresh)
    writeFileSync(fileAt('edited.md'), `${fresh}\nMine.\n`)
    writeFileSync(fileAt('unmarked.md'), fresh.replace(/<!--.*?-->/s, ''))
    expect(await check('clean.md')).toMatchObject({ exit: 0, reason: 'clean', stale: false })
    expect(await check('edited.md')).toMatchObject({ exit: 1, reason: 'edited' })
    expect(await check('unmarked.md')).toMatchObject({ exit: 1, reason: 'missing_marker' })
    expect(await check('absent.md')).toMatchObject({ exit: 1, reason: 'absent' })
    expect(await canonical()).toBe(before)
    expect(readFileSync(fileAt('edited.md'), 'utf8')).toBe(`${fresh}\nMine.\n`)
  })

  verifies('FLOW-052', '--check of a stale file fails and leaves it as it was', async () => {
    await project('--out', fileAt('old.md'))
    const before = traceOf('old.md')
    await storeFlows(hub.hub, 'default', [bundleOf(ID, { version: '1.1.0' }, 2)])
    expect(await check('old.md')).toMatchObject({ exit: 1, reason: 'clean', stale: true })
    expect(traceOf('old.md')).toEqual(before)
    await check('absent.md')
    expect(existsSync(fileAt('absent.md'))).toBe(false)
    await project('--out', fileAt('old.md'))
    expect(await check('old.md')).toMatchObject({ exit: 0, reason: 'clean', stale: false })
  })
})
