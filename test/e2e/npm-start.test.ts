import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { processesOfGroup, temporaryHome } from './hub-process.fixture.ts'

const PATIENCE = { timeout: 25_000, interval: 100 }

/**
 * `npm start` as an owner says it, in a folder that has the project's own script and its sources. Building is left
 * out: other tests may be reading what it replaces.
 */
function startByNpm(home: string): ChildProcess & { pid: number } {
  const folder = mkdtempSync(join(PACKAGE_FOLDER, '.npm-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { scripts } = JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  // The form before a build of its own stands in the same script.
  const start = scripts.start?.replace('npm run build', 'true').replace('bin/knowtation.js', 'src/main.ts')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { start } }))
  for (const name of ['src', 'flows', 'connectors', 'programs', 'vectors', 'engines', 'openapi.json'])
    symlinkSync(join(PACKAGE_FOLDER, name), join(folder, name))
  cpSync(join(PACKAGE_FOLDER, 'bin'), join(folder, 'bin'), { recursive: true })
  const args = ['start', '--', '--log', 'json', '--port', '0', '--home', home]
  // Its own group, as a shell gives it: all that it starts can be found by it.
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  return child as ChildProcess & { pid: number }
}

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL', 'SIGINT'] as const)(
  'npm start leaves nothing behind when npm gets %s',
  async (signal) => {
    using at = temporaryHome()
    const npm = startByNpm(at.home.folder)
    onTestFinished(() => {
      if (processesOfGroup(npm.pid).length > 0) process.kill(-npm.pid, 'SIGKILL')
    })
    let said = ''
    npm.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text))
    const url = await vi.waitFor(() => {
      const line = /^\{.*\}$/m.exec(said)?.[0] ?? ''
      return (JSON.parse(line) as { url: string }).url
    }, PATIENCE)
    expect((await send(url, { path: '/readyz' })).status).toBe(200)
    npm.kill(signal)
    await vi.waitFor(() => expect(processesOfGroup(npm.pid)).toEqual([]), PATIENCE)
    await expect(send(url, { path: '/readyz' })).rejects.toThrow('ECONNREFUSED')
  },
  60_000,
)
