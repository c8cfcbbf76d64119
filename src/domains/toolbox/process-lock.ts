import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { findOwnProcess, isGone, type ProcessName } from '../../platform/basics/process-name.ts'

const LOCK_MODE = 0o600
/** Well below the age at which others take a lock for forgotten. */
const RENEW_MS = 5_000
/** A holder that cannot be looked up, such as one in a container, renews its lock at least so often. */
const FORGOTTEN_AFTER_MS = 60_000

/** The sole right to something that several processes would do. */
export interface ProcessLock {
  release(): void
}

/** Takes the lock; nothing while another process has it. */
export function takeProcessLock(path: string, now: () => Date): ProcessLock | undefined {
  if (isProcessLocked(path, now)) return undefined
  if (!create(path)) {
    breakLock(path, now)
    if (!create(path)) return undefined
  }
  const timer = setInterval(() => renew(path, now()), RENEW_MS).unref()
  return {
    release() {
      clearInterval(timer)
      rmSync(path, { force: true })
    },
  }
}

/** Whether a process that still runs has the lock. */
export function isProcessLocked(path: string, now: () => Date): boolean {
  const text = findText(path)
  return text !== undefined && !isAbandoned(path, text, now())
}

function create(path: string): boolean {
  try {
    writeFileSync(path, JSON.stringify(findOwnProcess() ?? null), { flag: 'wx', mode: LOCK_MODE })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes an abandoned lock away under a name of its own, for another process may just have made a new one. */
function breakLock(path: string, now: () => Date): void {
  const text = findText(path)
  if (text === undefined || !isAbandoned(path, text, now())) return
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    if (findText(aside) !== text) linkSync(aside, path)
  } catch {
    // Somebody else was faster.
  }
  rmSync(aside, { force: true })
}

function isAbandoned(path: string, text: string, now: Date): boolean {
  const holder = findHolder(text)
  if (holder && isGone(holder)) return true
  if (holder && holder.machine === findOwnProcess()?.machine) return false
  return ageMs(path, now) > FORGOTTEN_AFTER_MS
}

function findHolder(text: string): ProcessName | undefined {
  try {
    const { pid, started, machine } = JSON.parse(text) as Partial<ProcessName>
    if (!Number.isSafeInteger(pid) || (pid as number) < 1) return undefined
    return { pid: pid as number, started: String(started), machine: String(machine) }
  } catch {
    return undefined
  }
}

function ageMs(path: string, now: Date): number {
  try {
    return now.getTime() - statSync(path).mtimeMs
  } catch {
    return 0
  }
}

function renew(path: string, now: Date): void {
  try {
    utimesSync(path, now, now)
  } catch {
    // The folder is gone; the holder will find out by itself.
  }
}

function findText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
