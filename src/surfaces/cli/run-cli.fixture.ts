import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { CliIo } from './cli-io.ts'
import { runCli } from './run-cli.ts'

export interface Run {
  exit: number
  stdout: string
  stderr: string
}

/** A folder that goes when the test has ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A command line in this process, with a home of its own. */
export function cliAt(home: string, env: NodeJS.ProcessEnv = {}) {
  return async (argv: string | readonly string[], more: Partial<CliIo> & { input?: string } = {}) => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const written = Promise.all([text(stdout), text(stderr)])
    stdin.end(more.input ?? '')
    const words = typeof argv === 'string' ? argv.split(' ').filter(Boolean) : argv
    const exit = await runCli(
      words,
      { KNOWTATION_HOME: home, ...env },
      {
        stdin,
        stdout,
        stderr,
        isTerminal: false,
        isErrorTerminal: false,
        columns: Number.POSITIVE_INFINITY,
        ...more,
      },
    )
    stdout.end()
    stderr.end()
    const [out, err] = await written
    return { exit, stdout: out, stderr: err } satisfies Run
  }
}
