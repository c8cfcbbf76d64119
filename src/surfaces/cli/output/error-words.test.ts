import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestHub } from '../../../../test/harness/test-hub.ts'
import { smallDisk } from '../../../../test/store/small-disk.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const failed = (words: string) => [1, expect.stringMatching(`^Error \\(BACKUP_FAILED\\): ${words}$`)]

test('a token that does not count is told apart from one that was not given', async () => {
  await using hub = await startTestHub()
  const cli = cliAt(temporaryFolder())
  const missing = {
    'flow list': /^Hint: Pass --token or set KNOWTATION_TOKEN/,
    'owner connection list': /^Hint: Log in with `owner agent login/,
  }
  for (const [line, hint] of Object.entries(missing)) {
    const hintWith = async (more: string) =>
      (await cli(`${line} --url ${hub.url}${more}`)).stderr.split('\n')[1]
    expect(await hintWith('')).toMatch(hint)
    expect(await hintWith(' --token ktok_of_another_hub')).toMatch(
      /^Hint: The hub at --url does not take this token/,
    )
  }
})

test('a backup says in words what keeps it from being made or read', async () => {
  const cli = cliAt(temporaryFolder())
  await cli('whoami')
  const disk = smallDisk('200k')
  const told = async (line: string) => {
    const { exit, stderr } = await cli(line)
    return [exit, stderr.split('\n')[0]]
  }
  disk.fill()
  expect(await told(`backup create ${disk.folder}/b`)).toEqual(
    failed(`${disk.folder}/b\\.partial-.* is on a disk that is full\\.`),
  )
  disk.free()
  expect(readdirSync(disk.folder)).toEqual([])
  disk.remount('ro')
  expect(await told(`backup create ${disk.folder}/b`)).toEqual(
    failed(`${disk.folder}/b\\.partial-.* is on a disk that is read-only\\.`),
  )
  disk.remount('rw')
  expect(await told('backup create /proc/b')).toEqual(failed('/proc/b\\.partial-.* cannot be made there\\.'))
  const none = join(temporaryFolder(), 'none')
  expect(await told(`backup restore ${none}`)).toEqual(failed(`${none} does not exist\\.`))
})

test('a home on a disk without room says that this is so', async () => {
  const disk = smallDisk('300k')
  const { exit, stderr } = await cliAt(disk.folder)('flow list')
  expect([exit, stderr.split('\n')[0]]).toEqual([
    1,
    `Error (STORAGE_UNAVAILABLE): ${disk.folder}/knowtation.db cannot be opened: its disk is full.`,
  ])
})
