import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import type { FlowBundle } from '../../../domains/flows/bundle/flow-record.ts'
import { insertFlowVersion } from '../../../domains/flows/flow-store.ts'
import { openHub } from '../../../operations/hub.ts'
import { homeAt } from '../../../platform/basics/home.ts'
import { plainLog } from '../../../platform/basics/plain-log.ts'
import { realSystem } from '../../../platform/basics/system.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const PROJECT = ['flow', 'project', 'flow_research_brief', '--harness', 'cursor_rule']

function setUp() {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  mkdirSync(join(folder, 'work'))
  return { home, out: join(folder, 'work', 'brief.mdc'), folder: join(folder, 'work'), cli: cliAt(home) }
}

/** Puts the next version of a flow into the store, as an approval would. */
async function addVersion(home: string, bundle: FlowBundle, version: string): Promise<void> {
  const log = plainLog(() => {}, realSystem.now)
  const hub = await openHub({ home: homeAt(home, {}), env: {}, system: realSystem, log })
  const next = { ...bundle, flow: { ...bundle.flow, version, title: 'Changed' } }
  await hub.db.transaction((tx) => insertFlowVersion(tx, 'default', next, realSystem.now()))
  await hub.close()
}

describe('flow project', () => {
  test('prints exactly the artifact into a pipe', async () => {
    const { cli } = setUp()
    const { projection } = JSON.parse((await cli([...PROJECT, '--json'])).stdout)
    expect((await cli(PROJECT)).stdout).toBe(projection.rendered)
  })

  verifies('FLOW-052', 'only --out writes a file, whole and nothing beside it', async () => {
    const { cli, out, folder } = setUp()
    const { stdout } = await cli(PROJECT)
    expect(readdirSync(folder)).toEqual([])
    expect((await cli([...PROJECT, '--check', '--out', out])).exit).toBe(1)
    expect(existsSync(out)).toBe(false)
    expect((await cli([...PROJECT, '--out', out])).exit).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(stdout)
    expect(readdirSync(folder)).toEqual(['brief.mdc'])
  })

  verifies(
    'FLOW-052',
    '--check on a stale file fails, says so, and leaves its bytes and time alone',
    async () => {
      const { cli, home, out } = setUp()
      await cli([...PROJECT, '--out', out])
      const bundle = JSON.parse((await cli('flow export flow_research_brief --json')).stdout) as FlowBundle
      expect(await cli([...PROJECT, '--out', out, '--check'])).toMatchObject({ exit: 0, stderr: '' })
      await addVersion(home, bundle, '0.2.0')
      const [bytes, time] = [readFileSync(out, 'utf8'), statSync(out).mtimeMs]
      const { exit, stdout } = await cli([...PROJECT, '--out', out, '--check', '--json'])
      expect(exit).toBe(1)
      expect(JSON.parse(stdout)).toMatchObject({
        reason: 'clean',
        stale: true,
        file_version: '0.1.0',
        latest_version: '0.2.0',
      })
      expect((await cli([...PROJECT, '--out', out, '--check'])).stdout).toContain('stale')
      expect([readFileSync(out, 'utf8'), statSync(out).mtimeMs]).toEqual([bytes, time])
    },
  )

  verifies(
    'FLOW-051',
    '--check tells clean, edited, missing_marker and absent, and changes nothing',
    async () => {
      const { cli, out } = setUp()
      const canonical = await cli('flow get flow_research_brief --json')
      const check = async () => {
        const { exit, stdout } = await cli([...PROJECT, '--out', out, '--check', '--json'])
        return { exit, reason: JSON.parse(stdout).reason as string }
      }
      expect(await check()).toEqual({ exit: 1, reason: 'absent' })
      await cli([...PROJECT, '--out', out])
      expect(await check()).toEqual({ exit: 0, reason: 'clean' })
      const edited = readFileSync(out, 'utf8').replace('research', 'RESEARCH')
      writeFileSync(out, edited)
      expect(await check()).toEqual({ exit: 1, reason: 'edited' })
      expect(readFileSync(out, 'utf8')).toBe(edited)
      writeFileSync(out, 'something else\n')
      expect(await check()).toEqual({ exit: 1, reason: 'missing_marker' })
      expect(await cli('flow get flow_research_brief --json')).toEqual(canonical)
    },
  )

  test('a link stays a link, and a folder that is not there is named', async () => {
    const { cli, out, folder } = setUp()
    writeFileSync(join(folder, 'real.mdc'), '')
    symlinkSync(join(folder, 'real.mdc'), out)
    expect((await cli([...PROJECT, '--out', out])).exit).toBe(0)
    expect(readFileSync(join(folder, 'real.mdc'), 'utf8')).toContain('GENERATED FROM CANONICAL FLOW')
    expect(readdirSync(folder).toSorted()).toEqual(['brief.mdc', 'real.mdc'])
    const { exit, stderr } = await cli([...PROJECT, '--out', join(folder, 'no', 'where.mdc')])
    expect(exit).toBe(1)
    expect(stderr).toContain('Error (FILE_NOT_WRITTEN)')
  })
})
