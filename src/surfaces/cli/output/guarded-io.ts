import type { Writable } from 'node:stream'
import { spellDeceiving } from '../../../platform/basics/printable.ts'
import type { CliIo } from '../cli-io.ts'

/** Streams on which no text reaches a terminal as a command, whatever command of ours writes it. */
export function guardedIo(io: CliIo): CliIo {
  const { isTerminal, isErrorTerminal, columns } = io
  return {
    get stdin() {
      return io.stdin
    },
    stdout: guarded(io.stdout),
    stderr: guarded(io.stderr),
    isTerminal,
    isErrorTerminal,
    columns,
  }
}

/** Bytes are what a program asked for, and pass as they are. */
function guarded(stream: Writable): Writable {
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'write' && name !== 'end') return value.bind(target)
      return (chunk: unknown, ...rest: unknown[]) =>
        value.call(target, typeof chunk === 'string' ? spellDeceiving(chunk) : chunk, ...rest)
    },
  })
}
