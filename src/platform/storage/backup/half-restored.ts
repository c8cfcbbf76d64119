import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../../basics/home.ts'
import { StorageDamaged } from '../database.ts'

/** What a restore has copied and checked, and what it has begun to put in place, each in a folder of the home. */
export const STAGED = 'restoring-'
export const HALF_RESTORED = 'half-restored-'
/** What was there before, whole. */
export const KEPT = 'before-restore-'

/** Refuses a home of which a part is from a backup and a part is not. */
export function checkWhole({ folder }: Home): void {
  if (!readdirSync(folder).some((name) => name.startsWith(HALF_RESTORED))) return
  throw new StorageDamaged(
    `${folder}: A restore was broken off half-way. Make it again with \`knowtation backup restore FOLDER --force\`.`,
  )
}

/** Where the first of the restores that were broken off half-way has kept what was there before, if it had to. */
export function findKept({ folder }: Home): string | undefined {
  return readdirSync(folder)
    .filter((name) => name.startsWith(HALF_RESTORED))
    .map((name) => join(folder, name.replace(HALF_RESTORED, KEPT)))
    .find((kept) => existsSync(kept))
}

/** Takes away what restores that were broken off have left: a whole one was made since. */
export function clearBrokenOff({ folder }: Home): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(STAGED) || name.startsWith(HALF_RESTORED))
      rmSync(join(folder, name), { recursive: true, force: true })
}

/** A restore that failed after it had begun to put files in place. */
export class HalfRestored extends Error {
  override name = 'HalfRestored'
}
