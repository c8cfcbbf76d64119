import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The C library that this program runs on. A function that it lacks throws when it is declared. */
export interface CLibrary {
  func(declaration: string): (...args: unknown[]) => number
  /** The system's number of why the last call failed. Good only right after it. */
  errno(): number
}

interface Koffi {
  /** Null for a path means what the program has loaded already. */
  load(path: null): Pick<CLibrary, 'func'>
  errno(): number
}

const declared = new Map<unknown, unknown>()

/**
 * Functions of the C library, declared once in a process: it takes some milliseconds. Throws where they cannot be
 * called.
 */
export function callsOf<Calls>(declare: (library: CLibrary) => Calls): Calls {
  if (!declared.has(declare)) declared.set(declare, declare(openCLibrary()))
  return declared.get(declare) as Calls
}

function openCLibrary(): CLibrary {
  const koffi = require('koffi') as Koffi
  const library = koffi.load(null)
  return { func: (declaration) => library.func(declaration), errno: () => koffi.errno() }
}
