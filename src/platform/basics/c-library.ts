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

/** What this system cannot do, while the rest of the hub works on it; `docs/running.md` has the table. */
export class PlatformLacks extends Error {
  override readonly name = 'PlatformLacks'
}

const declared = new Map<unknown, unknown>()

/**
 * Functions of the C library, declared once in a process: it takes some milliseconds. Throws `PlatformLacks` where
 * none can be called.
 */
export function callsOf<Calls>(declare: (library: CLibrary) => Calls): Calls {
  if (!declared.has(declare)) declared.set(declare, declare(openCLibrary()))
  return declared.get(declare) as Calls
}

function openCLibrary(): CLibrary {
  const { koffi, library } = loadBinding()
  return { func: (declaration) => library.func(declaration), errno: () => koffi.errno() }
}

function loadBinding() {
  try {
    const koffi = require('koffi') as Koffi
    return { koffi, library: koffi.load(null) }
  } catch (error) {
    const here = `${process.platform} (${process.arch})`
    throw new PlatformLacks(`The calls of the C library cannot be made here, on ${here}.`, { cause: error })
  }
}
