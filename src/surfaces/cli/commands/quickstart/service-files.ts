import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../../../../platform/basics/package-folder.ts'
import { UsageError } from '../../cli-errors.ts'
import type { Invocation } from '../../command.ts'

/** The service files of the package; `deploy/README.md` says how each is installed. */
const FILES: Readonly<Record<string, string>> = {
  systemd: 'deploy/systemd/knowtation.service',
  launchd: 'deploy/launchd/store.knowtation.hub.plist',
}
/** Where the files of the package say that Node and the program are. */
const NODE = /\/usr\/(local\/)?bin\/node/g
const PROGRAM = /\/usr\/(local\/)?lib\/node_modules\/knowtation\/bin\/knowtation\.js/g

/** `quickstart --service KIND`: the file that keeps the hub running as a user of its own, with the places of this machine. */
export function printService({ io }: Invocation, kind: string): number {
  const file = Object.hasOwn(FILES, kind) ? FILES[kind] : undefined
  if (file === undefined)
    throw new UsageError('--service takes systemd or launchd.', 'Elsewhere, run `knowtation serve`.')
  const program = join(PACKAGE_FOLDER, 'bin/knowtation.js')
  const text = readFileSync(join(PACKAGE_FOLDER, file), 'utf8')
  io.stdout.write(text.replace(PROGRAM, () => program).replace(NODE, () => process.execPath))
  io.stderr.write(`${join(PACKAGE_FOLDER, 'deploy/README.md')} says how it is installed.\n`)
  return 0
}
