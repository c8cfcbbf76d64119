import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freshPostgresUrl } from '../../../../test/store/postgres-server.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const READS = [
  'flow list',
  'doctor',
  'token list',
  'audit verify',
  'ledger list',
  'tool call list_files --project . --service .',
  'token revoke tok_0000000000000000',
  'backup create',
]

const missingHome = () => `whoami --home ${join(temporaryFolder(), 'none')}`

describe('a home that was mistyped', () => {
  test.each(READS)('is not made by `%s`, which says so and what to do', async (line) => {
    const folder = temporaryFolder()
    const typo = join(folder, 'tpyo')
    const { exit, stdout, stderr } = await cliAt(folder)(`${line} --home ${typo}`)
    expect([exit, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `Error (HUB_NOT_FOUND): There is no hub in ${typo}: the folder does not exist. Nothing was made there.\n` +
        `Hint: Check --home. \`knowtation serve --home ${typo}\` begins a new hub there.\n`,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test.each(READS)('is not made by `%s` among files of something else', async (line) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'thesis.txt'), 'Chapter one')
    const { exit, stdout } = await cliAt('/nowhere')(`${line} --json --home ${folder}`)
    const { code, error } = JSON.parse(stdout)
    expect([exit, code, error]).toEqual([
      1,
      'HUB_NOT_FOUND',
      `There is no hub in ${folder}: the folder holds other things. Nothing was made there.`,
    ])
    expect(readdirSync(folder)).toEqual(['thesis.txt'])
  })

  test('is one by any file of a hub, and one to begin with when it is empty', async () => {
    // The last one is what others see of a key while a program that begins the home is making it.
    for (const name of ['config.yaml', 'vaults', undefined, 'audit-key.0123456789ab']) {
      const folder = temporaryFolder()
      if (name === 'vaults') mkdirSync(join(folder, name))
      else if (name) writeFileSync(join(folder, name), '')
      expect(await cliAt('/nowhere')(`flow list --home ${folder}`)).toMatchObject({ exit: 0, stderr: '' })
      expect(existsSync(join(folder, 'knowtation.db'))).toBe(true)
    }
  })

  test('is made by what begins something', async () => {
    const home = join(temporaryFolder(), 'new')
    const cli = cliAt('/nowhere')
    expect((await cli(`token create --role viewer --home ${home}`)).exit).toBe(0)
    expect((await cli(`token list --home ${home}`)).stdout).toContain('viewer')
  })

  test('may be missing where it is the usual one', async () => {
    const home = join(temporaryFolder(), 'usual')
    expect(await cliAt(home)('flow list')).toMatchObject({ exit: 0, stderr: '' })
  })

  test('may be missing where the hub is on a server and its key in the environment', async () => {
    const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
    expect((await cliAt('/nowhere', env)(missingHome())).stderr).toContain('HUB_NOT_FOUND')
    const whole = { ...env, KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
    expect(await cliAt('/nowhere', whole)(missingHome())).toMatchObject({ exit: 0, stderr: '' })
  })
})
