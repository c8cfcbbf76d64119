import { fdatasync } from 'node:fs'

interface Waiting {
  readonly fd: number
  readonly ended: (error: Error | null) => void
}

let waiting: Waiting[] = []

/**
 * Brings a file to the disk, together with the others of the same tick: a thread that begins with the first while the
 * next one is still being made in the same folder gets in its way.
 */
export function syncSoon(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) process.nextTick(syncAll)
    waiting.push({ fd, ended: (error) => (error ? reject(error) : resolve()) })
  })
}

function syncAll(): void {
  const all = waiting
  waiting = []
  for (const { fd, ended } of all) fdatasync(fd, ended)
}
