import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { itself, NAME_ANY } from '../../guard/kernel/descriptors.ts'
import { SandboxUnavailable } from '../sandbox.ts'
import type { Descriptor } from './start-process.ts'

// O_PATH, which Node does not name: the thing is named, not opened.
const NAME_FOLLOWED = 0o10000000 | constants.O_RDONLY

/**
 * What a sandbox gets beside its arguments: contents of made-up files, and the things of the host that are mounted.
 * Those are held from here on, so that nobody can put something else under their names before they are mounted.
 */
export interface GivenDescriptors {
  readonly all: readonly Descriptor[]
  /** Each of these answers the number that the descriptor has for bwrap. */
  addContent(content: string): number
  /** Holds what lies at a path without a link in it. */
  addReal(path: string): number
  /** Holds what a path of the system leads to, through the system's own links. */
  addSystem(path: string): number
  /** Our own descriptor of what was added under a number. */
  heldAs(number: number): number
  close(): void
}

export function openGivenDescriptors(first: number): GivenDescriptors {
  const all: Descriptor[] = []
  const add = (descriptor: Descriptor): number => first + all.push(descriptor) - 1
  return {
    all,
    addContent: (content) => add(content === '' ? 'empty' : { content }),
    addReal: (path) => add({ held: holdReal(path) }),
    addSystem: (path) => add({ held: openSync(path, NAME_FOLLOWED) }),
    heldAs(number) {
      const descriptor = all[number - first]
      if (typeof descriptor === 'object' && 'held' in descriptor) return descriptor.held
      throw new Error(`descriptor ${number} holds nothing of the host`)
    },
    close() {
      for (const descriptor of all.splice(0))
        if (typeof descriptor === 'object' && 'held' in descriptor) closeSync(descriptor.held)
    },
  }
}

function holdReal(path: string): number {
  const fd = openSync(path, NAME_ANY)
  if (readlinkSync(itself(fd)) === path && !fstatSync(fd).isSymbolicLink()) return fd
  closeSync(fd)
  throw new SandboxUnavailable(`${path} was moved while the sandbox was prepared.`)
}
