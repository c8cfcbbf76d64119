import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import type { CliRun } from './call-cli.ts'

/** The program as people start it; it needs the build. */
export const BIN = join(PACKAGE_FOLDER, 'bin/knowtation.js')

/** The program for tests that start it often: as it was built where that is of these sources, else from the sources. */
export const PROGRAM = isBuilt() ? BIN : join(PACKAGE_FOLDER, 'src/main.ts')

const RUN_LIMIT_MS = 60_000

function changed(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

/** Whether no source has changed since the build. Tests of their own are in no program. */
function isBuilt(): boolean {
  const built = changed(join(PACKAGE_FOLDER, 'dist/main.js'))
  if (built === undefined) return false
  return readdirSync(join(PACKAGE_FOLDER, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test|\.fixture)\.ts$/.test(name))
    .every((name) => (changed(join(PACKAGE_FOLDER, 'src', name)) ?? Number.POSITIVE_INFINITY) <= built)
}

/** What a child program needs of our environment, and nothing of the hub's settings. */
export function childEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const all = { PATH: process.env.PATH, HOME: process.env.HOME, ...env }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Runs a Node program to its end. */
export async function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdin = '',
): Promise<CliRun> {
  const child = spawn(process.execPath, args, { env: childEnv(env), timeout: RUN_LIMIT_MS })
  child.stdin.end(stdin)
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { exit: exit ?? -1, stdout, stderr }
}
