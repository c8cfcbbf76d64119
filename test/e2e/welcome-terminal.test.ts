import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startProgram } from './hub-process.fixture.ts'

test('nothing that a hub says while it runs drives the terminal that it was started in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-welcome-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'a\u009b31mb\u202ec')
  mkdirSync(home, { mode: 0o700 })
  const { child, output, exited } = startProgram(['serve', '--port', '0', '--home', home], {
    KNOWTATION_LOG_LEVEL: 'debug',
  })
  await vi.waitFor(() => expect(output.stdout).toContain('Sign in'), { timeout: 25_000 })
  child.kill('SIGTERM')
  await exited
  expect(output.stdout).toContain('a\\x9b31mb\\u202ec')
  expect(`${output.stdout}${output.stderr}`).not.toMatch(/[\u007f-\u009f\u202a-\u202e]/)
})
