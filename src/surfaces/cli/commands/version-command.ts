import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'
import type { CliIo } from '../cli-io.ts'

/** Tells which version this program is. */
export function printVersion(json: boolean, io: Pick<CliIo, 'stdout'>): number {
  const document = { schema: 'knowtation.version/v0', version: PACKAGE_VERSION }
  io.stdout.write(json ? `${JSON.stringify(document)}\n` : `knowtation ${PACKAGE_VERSION}\n`)
  return 0
}
