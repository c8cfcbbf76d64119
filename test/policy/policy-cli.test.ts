import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

let hub: TestHub
let path: string
beforeAll(async () => {
  hub = await startTestHub({ policy: '# mine\nexternal_agent:\n  enabled: false\n' })
  path = hub.home.vaultPolicy('default')
})
afterAll(() => hub.close())

const cli = (words: string[], stdin?: string, env: NodeJS.ProcessEnv = {}) =>
  runInProcess(words, { ...hub.options.env, ...env }, stdin)

test('the policy is changed from the command line of the home, and each answer names the file', async () => {
  const opened = await cli(['policy', 'gate', 'open', 'external_agent'])
  expect([opened.exit, opened.stdout]).toEqual([0, expect.stringContaining('external_agent is open')])
  const command = '["node","files.js"]'
  for (const words of [
    ['provider', 'add', 'files', '--command', command],
    ['policy', 'tool', 'add', 'read_note', '--provider', 'files', '--provider-tool', 'read'],
    ['policy', 'tool', 'show', 'read_note'],
    ['policy', 'show'],
    ['policy', 'history'],
    ['policy', 'check', '--offline'],
  ]) {
    const { exit, stdout } = await cli(words)
    expect([words.join(' '), exit, stdout]).toEqual([words.join(' '), 0, expect.stringContaining(path)])
  }
  expect(readFileSync(path, 'utf8')).toMatch(/^# mine\nexternal_agent:\n {2}enabled: true\n/)
})

test('an edit comes from a file, stdin or the editor, and one that damages the policy is refused', async () => {
  const editor = join(hub.home.folder, 'editor.sh')
  writeFileSync(editor, '#!/bin/sh\necho "# by the editor" >> "$1"\n', { mode: 0o755 })
  expect((await cli(['policy', 'edit'], '', { EDITOR: editor, VISUAL: '' })).exit).toBe(0)
  expect(readFileSync(path, 'utf8')).toContain('# by the editor')
  const asleep = await cli(['policy', 'edit'], '', { EDITOR: 'true', VISUAL: '' })
  expect([asleep.exit, asleep.stdout]).toEqual([0, expect.stringContaining('left as it is')])
  expect((await cli(['policy', 'edit'], '', { EDITOR: 'false', VISUAL: '' })).exit).toBe(1)
  expect((await cli(['policy', 'edit'], '', { EDITOR: '', VISUAL: '' })).exit).toBe(2)
  const before = readFileSync(path, 'utf8')
  const refused = await cli(['policy', 'edit', '--from', '-'], 'external_agent:\n  enabled: perhaps\n')
  expect([refused.exit, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`${path}:2: external_agent.enabled`),
  ])
  expect(readFileSync(path, 'utf8')).toBe(before)
  const proposed = join(hub.home.folder, 'new.yaml')
  writeFileSync(proposed, 'external_agent:\n  enabled: false\n')
  const told = await cli(['policy', 'check', '--against', proposed])
  expect([told.exit, told.stdout]).toEqual([0, expect.stringContaining('Arguments are not on record')])
  writeFileSync(path, 'external_agent: [\n')
  const shown = await cli(['policy', 'show'])
  expect(shown.stdout).toContain(`${path}:`)
  expect((await cli(['policy', 'revert', '1'])).exit).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe('# mine\nexternal_agent:\n  enabled: false\n')
})
