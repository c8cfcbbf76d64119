import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../basics/plain-log.ts'

/** Sees to it that no child outlives the hub, nor any file of it, however the hub ends. */
export interface ChildGuard {
  /** An empty folder for one child. */
  makeHome(): string
  add(group: number): void
  drop(group: number): void
  close(): Promise<void>
}

/**
 * Holds a list of process groups, and kills them all when its input ends, which the system brings
 * about even when the hub is killed outright. It ignores the signals that a terminal sends to all.
 */
const GUARD_SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
rm -rf -- "$1"
`

/** One small guard process for all children; started before the first of them. */
export function childGuard(log: Log): ChildGuard {
  const groups = new Set<number>()
  let guard: ChildProcess | undefined
  let folder: string | undefined
  const requireFolder = () => (folder ??= mkdtempSync(join(tmpdir(), 'knowtation-tools-')))
  const tell = (line: string) => void guard?.stdin?.write(`${line}\n`)
  const start = () => {
    const started = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'knowtation-guard', requireFolder()], {
      detached: true,
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    started.unref()
    started.stdin.on('error', () => {})
    const forget = () => {
      if (guard === started) guard = undefined
    }
    started.on('exit', forget).on('error', () => {
      forget()
      log.warn({}, 'no guard for tool children: one that ignores its end may outlive a killed hub')
    })
    guard = started
    for (const group of groups) tell(`add ${group}`)
  }
  return {
    add(group) {
      groups.add(group)
      if (guard) tell(`add ${group}`)
      else start()
    },
    drop(group) {
      groups.delete(group)
      tell(`drop ${group}`)
    },
    // The guard is there before the folder has anything in it: a hub may be killed while a child starts.
    makeHome() {
      if (!guard) start()
      return mkdtempSync(join(requireFolder(), 'home-'))
    },
    async close() {
      if (guard) await endOfInput(guard)
      if (folder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function endOfInput(guard: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    guard.ref()
    guard.once('exit', () => resolve()).once('error', () => resolve())
    guard.stdin?.end()
  })
}
