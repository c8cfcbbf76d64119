import type { Readable, Writable } from 'node:stream'

/** A started process, as far as a run has to know it; Node's own children are such ones too. */
export interface JailProcess {
  /** Nothing where it could not be started. */
  readonly pid?: number | undefined
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  /** By descriptor; nothing at all where it could not be started for want of descriptors. */
  readonly stdio?: readonly (Readable | Writable | null | undefined)[]
  once(event: 'error', listener: (error: Error) => void): unknown
  /** `exit` comes with the end of the process, `close` when its streams have ended too. */
  once(
    event: 'exit' | 'close',
    listener: (code: number | null, signal: NodeJS.Signals | null) => void,
  ): unknown
}

/** What a descriptor of a process is to be: something that we read, something that it reads, or nothing to read. */
export type Descriptor = 'output' | 'empty' | { readonly content: string | Buffer }

/** A program, its arguments without its own name, and its descriptors from 0 on. */
export interface ProcessStart {
  readonly path: string
  readonly args: readonly string[]
  readonly descriptors: readonly Descriptor[]
}
