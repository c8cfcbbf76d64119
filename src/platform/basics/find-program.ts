import { accessSync, constants, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The first program of this name in some folders; undefined where none of them has one. */
export function findProgram(folders: readonly string[], name: string): string | undefined {
  if (name !== basename(name)) return undefined
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** Whether a file lies there that this process may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
