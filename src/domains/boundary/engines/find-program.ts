import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const FOLDER_LIMIT = 256

/** The whole path of a program: as given, or found on the hub's own PATH. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined
  if (name.includes('/')) return undefined
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute).slice(0, FOLDER_LIMIT)
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
