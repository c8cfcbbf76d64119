import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** What the client is told to do is not for those who read our answer: it says it where progress is said. */
const STDERR = 2

/** Starts the client's own sign-in, which opens the browser, where the client is on the path; nothing where it is not. */
export function startSignIn(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess | undefined {
  const file = findProgram(program, env.PATH ?? '')
  if (file === undefined) return undefined
  const child = spawn(file, args, { env, stdio: ['inherit', STDERR, STDERR] })
  // Who signs in otherwise is waited for all the same.
  child.on('error', () => {})
  return child
}

/** In folders that are named in full alone: what lies where one happens to be is nobody's client. */
function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
