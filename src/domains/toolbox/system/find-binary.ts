import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** Where programs of the machine lie. The hub's own search path is not asked: whoever starts it could bend it. */
export const SYSTEM_PATH: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
]

const HEAD_BYTES = 256
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46])

export interface FoundProgram {
  readonly path: string
  readonly runnable: boolean
}

/** The first program of this name that can be run, or else the first file of the name. It is not started. */
export function findBinary(folders: readonly string[], name: string): FoundProgram | undefined {
  const files = folders.map((folder) => join(folder, name)).filter(isFile)
  const runnable = files.find(isRunnable)
  const path = runnable ?? files[0]
  return path === undefined ? undefined : { path, runnable: runnable !== undefined }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false
  }
}

/** Allowed to be run, and made to be: the system's own format, or a script whose interpreter is there. */
function isRunnable(path: string): boolean {
  if (!isExecutable(path)) return false
  const head = readHead(path)
  // A program may be run by those who may not read it.
  if (!head || head.subarray(0, ELF.length).equals(ELF)) return true
  const interpreter = /^#! *(\S+)/.exec(head.toString('latin1'))?.[1]
  return (
    interpreter !== undefined && isAbsolute(interpreter) && isFile(interpreter) && isExecutable(interpreter)
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function readHead(path: string): Buffer | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      return head.subarray(0, readSync(file, head))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
