import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, whether it runs from its sources or from its build. */
export const PACKAGE_FOLDER = findPackageFolder(dirname(fileURLToPath(import.meta.url)))

/** The version this program says it is. */
export const PACKAGE_VERSION = (
  JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8')) as { version: string }
).version

/** What a person types for this program: in a checkout npx finds it, once it is installed it has its name. */
export function typedName(): string {
  return existsSync(join(PACKAGE_FOLDER, 'src')) ? 'npx knowtation' : 'knowtation'
}

function findPackageFolder(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('The package folder was not found.')
  return findPackageFolder(parent)
}
