import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Server, startServer } from './child-process.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** The program as it is shipped. */
export const PROGRAM = join(ROOT, 'bin', 'knowtation.js')

/** A hub as an owner would run it, in a home of its own. */
export interface HubProcess extends Server {
  readonly token: string
}

/** A folder that is gone when the benchmark is. */
export function temporaryFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  return { folder, remove }
}

/** Starts the built hub on a free loopback port. */
export async function startHubProcess(
  home: string,
  nodeFlags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<HubProcess> {
  const serve = ['serve', '--log', 'json', '--port', '0', '--home', home]
  const server = await startServer([...nodeFlags, requireProgram(), ...serve], env)
  return { ...server, token: readFileSync(join(home, 'hub-token'), 'utf8').trim() }
}

function requireProgram(): string {
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('Build the program first: npm run build')
  return PROGRAM
}
