import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withSlot } from '../../../../platform/basics/mutex.ts'
import { FileFault, GuardDenied } from '../../../../platform/guard/guard.ts'
import { ToolFault } from '../../tool-fault.ts'
import { TREE_PROGRAM_ARGUMENT, type TreeJob, type TreeMessage } from './tree-job.ts'
import {
  HEAP_LIMIT_MB,
  LINE_MAX_CHARS,
  PARSE_TIME_LIMIT_MS,
  RUNNING_LIMIT,
  TREE_END_MS,
  WAITING_LIMIT,
} from './tree-limits.ts'

/** Beside this file, in the sources as in the build. */
const PROGRAM = fileURLToPath(new URL(`./tree-program${extname(import.meta.url)}`, import.meta.url))

/** How a program came to its end: by itself, by a file that it could not take, or by the time or the caller. */
export type TreeEnd = 'finished' | 'failed' | 'stopped'

const bound = {
  limit: WAITING_LIMIT,
  full: () =>
    new ToolFault('ResourceBusy', 'Too many calls look through trees.', 'Try again in a few seconds.'),
}

/**
 * Looks through a tree in a process of its own, which opens a guard of its own. A large tree would keep the hub
 * from everything else, and a parser cannot be stopped, nor kept from falling, in any other way.
 */
export function runTreeJob(
  job: TreeJob,
  signal: AbortSignal,
  onMessage: (message: TreeMessage) => void,
  deadline_ms = performance.now() + TREE_END_MS,
): Promise<TreeEnd> {
  return withSlot(
    'trees',
    RUNNING_LIMIT,
    () => runProgram(job, signal, onMessage, deadline_ms - performance.now()),
    { bound },
  )
}

function runProgram(
  job: TreeJob,
  signal: AbortSignal,
  onMessage: (message: TreeMessage) => void,
  left_ms: number,
): Promise<TreeEnd> {
  if (left_ms <= 0 || signal.aborted) return Promise.resolve('stopped')
  const flags = [`--max-old-space-size=${HEAP_LIMIT_MB}`, PROGRAM, TREE_PROGRAM_ARGUMENT]
  const child = spawn(process.execPath, flags, { cwd: '/', env: {}, stdio: 'pipe' })
  let end: TreeEnd = 'failed'
  const stop = () => {
    end = 'stopped'
    child.kill('SIGKILL')
  }
  const timer = setTimeout(stop, left_ms)
  signal.addEventListener('abort', stop)
  let parsing: NodeJS.Timeout | undefined
  return new Promise<TreeEnd>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(end))
    // What cannot be written any more ends in `close`.
    child.stdin.on('error', () => {})
    child.stderr.resume()
    readMessages(child, (message) => {
      clearTimeout(parsing)
      if ('begin' in message) parsing = setTimeout(() => child.kill('SIGKILL'), PARSE_TIME_LIMIT_MS)
      else if (!('file' in message)) {
        end = 'finished'
        child.kill('SIGKILL')
      }
      try {
        checkAllowed(message)
        onMessage(message)
      } catch (error) {
        reject(error as Error)
      }
    })
    child.stdin.write(`${JSON.stringify(job)}\n`)
  }).finally(() => {
    for (const one of [timer, parsing]) clearTimeout(one)
    signal.removeEventListener('abort', stop)
    child.kill('SIGKILL')
  })
}

/** Errors of these kinds lose their kind on the way between processes. */
function checkAllowed(message: TreeMessage): void {
  if ('denied' in message) throw new GuardDenied(message.denied, message.path)
  if ('fault' in message) throw new FileFault(message.fault, message.path, message.message)
}

function readMessages(
  child: ChildProcessWithoutNullStreams,
  onMessage: (message: TreeMessage) => void,
): void {
  let pieces: string[] = []
  let length = 0
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    length += piece.length
    if (length > LINE_MAX_CHARS) child.kill('SIGKILL')
    pieces.push(piece)
    if (!piece.includes('\n')) return
    const lines = pieces.join('').split('\n')
    const rest = lines.pop() ?? ''
    pieces = [rest]
    length = rest.length
    for (const line of lines) onMessage(JSON.parse(line) as TreeMessage)
  })
}
