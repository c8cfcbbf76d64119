import { FileFault, type Guard } from '../../../../platform/guard/guard.ts'

/** Whether a path leads to a file and not to a folder. Throws what reading it would. */
export function isFile(guard: Guard, path: string): boolean {
  try {
    guard.list(path, { recursive: false, limit: 1 })
    return false
  } catch (error) {
    if (error instanceof FileFault && error.code === 'NotADirectory') return true
    throw error
  }
}

/** The path of a file as a walk shows it, links followed. */
export function requireFilePath(guard: Guard, path: string): string {
  guard.check(path, 'read')
  if (!isFile(guard, path)) throw new FileFault('IsADirectory', path, `${path}: is a folder, not a file`)
  let found = path
  guard.walk(path, { recursive: false }, (file) => {
    found = file.path
    return 'stop'
  })
  return found
}
