import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createToken } from './clients.fixture.ts'
import { hubTokenOf, runProgram, spawnHub, temporaryHome } from './hub-process.fixture.ts'

/** A killed hub leaves what it did last beside the database, not in it. */
async function killedHub(home: ReturnType<typeof temporaryHome>['home']): Promise<void> {
  const hub = await spawnHub({ home: home.folder })
  expect((await createToken(hub.url, hubTokenOf(home))).status).toBe(201)
  await hub.end('SIGKILL')
}

async function tokensIn(folder: string): Promise<number> {
  const { code, stdout, stderr } = await runProgram(['token', 'list', '--json', '--home', folder])
  expect([code, stderr]).toEqual([0, ''])
  return (JSON.parse(stdout) as { tokens: unknown[] }).tokens.length
}

test('a restore that is broken off half-way keeps programs out, loses nothing, and is made again', async () => {
  using at = temporaryHome()
  const { folder } = at.home
  const backup = join(at.folder, 'backup')
  const restore = ['backup', 'restore', backup, '--force', '--home', folder]
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(at.home.config, 'audit: { max_age_days: 30 }\n')
  await runProgram(['whoami', '--home', folder])
  expect((await runProgram(['backup', 'create', backup, '--home', folder])).code).toBe(0)
  await killedHub(at.home)

  // A folder is in the way of a file: that one cannot be put in place, others have been by then.
  rmSync(at.home.config)
  mkdirSync(at.home.config)
  const broken = await runProgram(restore)
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain('The restore was broken off half-way')
  expect(broken.stderr).not.toContain('Nothing was changed')
  for (const command of [['doctor'], ['serve', '--port', '0']]) {
    const { code, stderr } = await runProgram([...command, '--home', folder])
    expect([command[0], code]).toEqual([command[0], 1])
    expect(stderr).toContain('STORAGE_DAMAGED')
    expect(stderr).toContain(`${folder}: A restore was broken off half-way.`)
  }
  const copy = await runProgram(['backup', 'create', join(at.folder, 'of-half'), '--home', folder])
  expect([copy.code, copy.stderr]).toEqual([1, expect.stringContaining('half-way')])

  rmdirSync(at.home.config)
  expect((await runProgram(restore)).code).toBe(0)
  expect(await tokensIn(folder)).toBe(0)
  const [kept = '', ...more] = readdirSync(folder).filter((name) => name.includes('restor'))
  expect([kept, more]).toEqual([expect.stringMatching(/^before-restore-/), []])
  expect(await tokensIn(join(folder, kept))).toBe(1)
}, 120_000)
