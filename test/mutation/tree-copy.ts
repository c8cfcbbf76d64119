import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the tree as it is now, with what is installed and built. Nothing is ever changed in the tree itself. */
export function copyTree(root: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'knowtation-mutation-'))
  // Run by root, the PostgreSQL of the tests is another user, who has to get at its programs.
  chmodSync(path, 0o755)
  for (const name of listFiles(root)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    cpSync(join(root, name), join(path, name), { verbatimSymlinks: true })
  }
  for (const folder of ['node_modules', 'dist']) if (existsSync(join(root, folder))) link(root, path, folder)
  // Vitest keeps notes there: the copy gets its own.
  rmSync(join(path, 'node_modules/.vite'), { recursive: true, force: true })
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** What belongs to the project: files under version control, and new ones that are not ignored. */
function listFiles(root: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error('git could not list the files of the project.')
  return stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))
}

/** Hard links where the temporary folder is on the same disk: nothing here is written in place. */
function link(from: string, to: string, folder: string): void {
  for (const how of ['-al', '-a']) {
    rmSync(join(to, folder), { recursive: true, force: true })
    if (spawnSync('cp', [how, join(from, folder), join(to, folder)]).status === 0) return
  }
  throw new Error(`${folder} could not be copied.`)
}
