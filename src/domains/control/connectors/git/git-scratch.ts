import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitRemote } from './git-remote.ts'

const PREFIX = 'knowtation-git-'
const MAX_LEFT_OVER = 1_000

/** A folder of one run: the repository as it was fetched, and what git is told. */
export interface GitScratch extends Disposable {
  readonly folder: string
  readonly repository: string
  readonly config: string
  readonly output: string
}

/** Whatever the user of this machine has set counts for nothing here; nothing starts a program. */
const FIXED = [
  { name: 'core.hooksPath', value: '/dev/null' },
  { name: 'core.fsmonitor', value: 'false' },
  { name: 'core.attributesFile', value: '/dev/null' },
  { name: 'credential.helper', value: '' },
  { name: 'safe.directory', value: '*' },
  { name: 'submodule.recurse', value: 'false' },
  { name: 'fetch.recurseSubmodules', value: 'false' },
  { name: 'fetch.fsckObjects', value: 'true' },
  { name: 'gc.auto', value: '0' },
  { name: 'maintenance.auto', value: 'false' },
  { name: 'http.followRedirects', value: 'false' },
  { name: 'http.lowSpeedLimit', value: '500' },
  { name: 'http.lowSpeedTime', value: '60' },
  { name: 'pack.threads', value: '1' },
] as const

/** Makes the folder; what runs that were killed have left behind is taken away. */
export function openScratch({ settings }: GitRemote): GitScratch {
  sweepLeftOver()
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const config = join(folder, 'config')
  writeFileSync(config, [...FIXED, ...settings].map(renderEntry).join(''), { mode: 0o600 })
  return {
    folder,
    config,
    repository: join(folder, 'repository.git'),
    output: join(folder, 'output'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function sweepLeftOver(): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX))
  for (const name of names.slice(0, MAX_LEFT_OVER)) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    const path = join(tmpdir(), name)
    if (!Number.isInteger(pid) || isAlive(pid) || !isOurs(path)) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function isOurs(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === process.getuid?.()
}

function renderEntry({ name, value }: { name: string; value: string }): string {
  const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')]
  const middle = first === last ? '' : ` ${quote(name.slice(first + 1, last))}`
  return `[${name.slice(0, first)}${middle}]\n\t${name.slice(last + 1)} = ${quote(value)}\n`
}

function quote(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new RangeError('a control character in a git configuration')
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
