import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram, temporaryHome } from './hub-process.fixture.ts'

test('a restore tells what it takes back, asks, and is the first record of the restored home', async () => {
  using at = temporaryHome()
  const on = ['--home', at.home.folder]
  const made = await runProgram(['token', 'create', '--role', 'viewer', '--json', ...on])
  const { token_id } = (JSON.parse(made.stdout) as { token: { token_id: string } }).token
  const backup = join(at.folder, 'backup-1')
  expect((await runProgram(['backup', 'create', backup, ...on])).code).toBe(0)
  expect((await runProgram(['token', 'revoke', token_id, ...on])).code).toBe(0)

  const asked = await runProgram(['backup', 'restore', backup, '--force', ...on])
  expect([asked.code, asked.stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(`token_revoke +${token_id}`)),
  ])
  expect(asked.stderr).toContain('--yes')
  const done = await runProgram(['backup', 'restore', backup, '--force', '--yes', ...on])
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining(token_id)])

  const { stdout } = await runProgram(['audit', 'list', '--json', ...on])
  const [newest, before] = (JSON.parse(stdout) as { records: object[] }).records
  expect(newest).toMatchObject({
    operation: 'home_restored',
    target_id: expect.stringMatching(/^backup-1 as of 20/),
  })
  expect(before).toMatchObject({ operation: 'token_create' })
  const doctor = JSON.parse((await runProgram(['doctor', '--json', ...on])).stdout) as { findings: object[] }
  expect(doctor.findings).toContainEqual(expect.objectContaining({ subject: 'restored home' }))
  const verified = await runProgram(['audit', 'verify', ...on])
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('intact')])
}, 120_000)
