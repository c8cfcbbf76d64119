import { spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

const CHECKOUT = join(import.meta.dirname, '../..')
/** The user that owns nothing; no account is made. */
const NOBODY = 65_534
const IDS = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
const COPIED = ['bin', 'connectors', 'engines', 'flows', 'node_modules', 'openapi.json', 'package.json']
const ALSO = ['programs', 'src', 'test', 'vectors', 'tsconfig.json']

/** Runs a program of the checkout once more as a user without rights, in a folder of its own; gives its status. */
export function runAsOrdinaryUser(program: string, words: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'attack-user-'))
  try {
    chownSync(folder, NOBODY, NOBODY)
    const checkout = isReadable(program) ? CHECKOUT : copyCheckout(folder)
    const node = join(checkout, relative(CHECKOUT, process.execPath))
    const args = [...IDS, node, join(checkout, relative(CHECKOUT, program)), ...words]
    const env = { ...process.env, HOME: folder, TMPDIR: folder, USER: 'nobody' }
    return spawnSync('setpriv', args, { cwd: folder, env, stdio: 'inherit' }).status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isReadable(program: string): boolean {
  return [program, process.execPath].every(
    (path) => spawnSync('setpriv', [...IDS, 'test', '-r', path]).status === 0,
  )
}

/** A copy for that user, where the checkout lies in somebody's home. */
function copyCheckout(folder: string): string {
  const copy = join(folder, 'checkout')
  for (const name of [...COPIED, ...ALSO])
    cpSync(join(CHECKOUT, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, dirname(join(copy, 'src'))])
  return copy
}
