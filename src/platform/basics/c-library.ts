import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The C library that this program runs on. A function that it lacks throws when it is declared. */
export interface CLibrary {
  func(declaration: string): (...args: unknown[]) => number
}

interface Koffi {
  /** Nothing for a path means what the program has loaded already. */
  load(path: null): CLibrary
}

/** Throws where functions of the C library cannot be called. The first time takes some milliseconds. */
export function openCLibrary(): CLibrary {
  return (require('koffi') as Koffi).load(null)
}
