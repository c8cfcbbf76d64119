import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { ask } from '../boundary/boundary-hub.ts'
import { childEnv } from '../harness/run-program.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MAIN = join(PACKAGE_FOLDER, 'src/main.ts')
/**
 * No file may grow beyond 20 KiB, as on a disk that is almost full: the first write beyond is cut, the next one fails.
 * The witness of the audit log is smaller, and has its place already.
 */
const LIMITED = 'ulimit -f 40 && exec "$@"'
const RECORDS = 200

let hub: TestHub
beforeAll(async () => {
  // On PostgreSQL the program itself writes nothing else than what is asked for.
  hub = await startTestHub({ database: 'postgres' })
  for (let at = 0; at < RECORDS; at++) await ask(hub, 'ledger_list', {})
  return () => hub.close()
})

function runLimited(...args: string[]): Promise<{ exit: unknown; stdout: string; stderr: string }> {
  const { env } = hub.options
  return new Promise((done) => {
    const command = ['-c', LIMITED, 'sh', process.execPath, MAIN, ...args]
    execFile('sh', command, { env: childEnv(env), timeout: 60_000 }, (error, stdout, stderr) =>
      done({ exit: error?.code ?? 0, stdout, stderr }),
    )
  })
}

test('a backup that does not fit is no backup', async () => {
  const folder = temporaryFolder()
  const { exit, stdout, stderr } = await runLimited('backup', 'create', join(folder, 'copy'))
  expect([exit, stdout]).toEqual([1, ''])
  expect(stderr).toContain('BACKUP_FAILED')
  expect(readdirSync(folder)).toEqual([])
})

test('an export that does not fit is not taken for one, and the former file stays', async () => {
  const folder = join(temporaryFolder(), 'exports')
  mkdirSync(folder)
  const out = join(folder, 'audit.jsonl')
  writeFileSync(out, 'the former export')
  const { exit, stdout, stderr } = await runLimited('audit', 'export', '--out', out)
  expect([exit, stdout]).toEqual([1, ''])
  expect(stderr).toContain('FILE_NOT_WRITTEN')
  expect(readFileSync(out, 'utf8')).toBe('the former export')
  expect(readdirSync(folder)).toEqual(['audit.jsonl'])
  expect(existsSync(out)).toBe(true)
})
