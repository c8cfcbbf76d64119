import { EventEmitter } from 'node:events'
import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import type { JailProcess } from './jail-process.ts'

/** The C library's `waitpid`: answers the number of a process that has ended, with how it did. */
export type WaitFor = (pid: number, status: number[], options: number) => number

const DO_NOT_WAIT = 1
/** How a process ended that somebody else has waited for; nobody may take it for a good end. */
const UNKNOWN = constants.signals.SIGKILL
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
)

const alive = new Set<QuickChild>()

/** A process that Node knows nothing of. Its end is heard of by the signal that the kernel sends for it. */
export class QuickChild extends EventEmitter implements JailProcess {
  readonly pid: number
  readonly stdio: readonly (Duplex | null)[]
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly #waitFor: WaitFor
  /** The process itself and its streams, as far as they have not ended. */
  #open = 1

  constructor(pid: number, stdio: readonly (Duplex | null)[], waitFor: WaitFor) {
    super()
    this.pid = pid
    this.stdio = stdio
    this.#waitFor = waitFor
    for (const stream of stdio) {
      if (stream === null) continue
      this.#open++
      stream.once('close', () => this.#endOne())
    }
    if (alive.size === 0) process.on('SIGCHLD', lookForEnded)
    alive.add(this)
    // One that ended before anybody listened.
    setImmediate(() => this.look())
  }

  /** Looks whether it has ended. Nobody else waits for it, so its number is its own until then. */
  look(): void {
    const status = [UNKNOWN]
    if (!alive.has(this) || this.#waitFor(this.pid, status, DO_NOT_WAIT) === 0) return
    alive.delete(this)
    if (alive.size === 0) process.off('SIGCHLD', lookForEnded)
    this.#noteEnd(status[0] ?? UNKNOWN)
    this.emit('exit', this.exitCode, this.signalCode)
    this.#endOne()
  }

  #noteEnd(status: number): void {
    const signal = status & 0x7f
    if (signal === 0) this.exitCode = (status >> 8) & 0xff
    else this.signalCode = SIGNAL_NAMES.get(signal) ?? 'SIGKILL'
  }

  #endOne(): void {
    this.#open--
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode)
  }
}

function lookForEnded(): void {
  for (const child of alive) child.look()
}
