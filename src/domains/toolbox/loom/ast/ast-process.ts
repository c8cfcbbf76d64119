import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withSlot } from '../../../../platform/basics/mutex.ts'
import { ToolFault } from '../../tool-fault.ts'
import { AST_PROGRAM_ARGUMENT, type AstAnswer, type AstJob } from './ast-job.ts'

const AST_TIME_LIMIT_MS = 5_000
const RUNNING_LIMIT = 2
const WAITING_LIMIT = 50
/** More than the places of as many matches as there can be characters that begin one. */
const ANSWER_MAX_CHARS = 32 * 1024 * 1024
/** Beside this file, in the sources as in the build. */
const PROGRAM = fileURLToPath(new URL(`./ast-program${extname(import.meta.url)}`, import.meta.url))

/** The parser was stopped, or ended by itself, before it had an answer. */
export class AstStopped extends Error {
  override readonly name = 'AstStopped'
  readonly code: 'Timeout' | 'NotSupported'
  constructor(code: AstStopped['code'], message: string) {
    super(message)
    this.code = code
  }
}

const bound = {
  limit: WAITING_LIMIT,
  full: () =>
    new ToolFault('ResourceBusy', 'Too many edits by syntax at once.', 'Try again in a few seconds.'),
}

/**
 * Does a job in a process of its own. Parsers are native code that no thread can be stopped in: some texts keep
 * them busy for minutes, and deeply nested patterns bring them down. Neither may happen to the hub.
 */
export function runAstJob(job: AstJob, time_limit_ms = AST_TIME_LIMIT_MS): Promise<AstAnswer> {
  return withSlot('syntax', RUNNING_LIMIT, () => runProgram(job, time_limit_ms), { bound })
}

function runProgram(job: AstJob, time_limit_ms: number): Promise<AstAnswer> {
  const child = spawn(process.execPath, [PROGRAM, AST_PROGRAM_ARGUMENT], { cwd: '/', env: {}, stdio: 'pipe' })
  const timer = setTimeout(() => child.kill('SIGKILL'), time_limit_ms)
  const late = () => new AstStopped('Timeout', `it took longer than ${time_limit_ms / 1000} s`)
  return new Promise<AstAnswer>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_, signal) =>
      reject(signal === 'SIGKILL' ? late() : new AstStopped('NotSupported', 'the parser failed')),
    )
    // What cannot be written any more ends in `close`.
    child.stdin.on('error', () => {})
    child.stderr.resume()
    readAnswer(child, resolve, reject)
    child.stdin.write(`${JSON.stringify(job)}\n`)
  }).finally(() => {
    clearTimeout(timer)
    child.kill('SIGKILL')
  })
}

function readAnswer(
  child: ChildProcessWithoutNullStreams,
  resolve: (answer: AstAnswer) => void,
  reject: (error: Error) => void,
): void {
  let answer = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    answer += piece
    if (answer.length > ANSWER_MAX_CHARS) reject(new AstStopped('NotSupported', 'there are too many matches'))
    else if (piece.endsWith('\n')) resolve(JSON.parse(answer) as AstAnswer)
  })
}
