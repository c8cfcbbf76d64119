import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'

const MODULE_FILE = join(PACKAGE_FOLDER, 'programs', 'vector-math.wasm')
const PAGE_BYTES = 65_536
/** As many bytes are worked on at a step; all places and lengths are multiples of it. */
const STEP_BYTES = 16

/** A loop over many vectors in a memory of their own, many numbers at a step; JavaScript takes them one by one. */
export interface VectorMath {
  readonly memory: WebAssembly.Memory
  dots(query: number, length: number, vectors: number, out: number, end: number): void
}

let compiled: WebAssembly.Module | undefined

/** An empty memory with its loops; the program of the loops is read once a thread. */
export function openVectorMath(): VectorMath {
  compiled ??= new WebAssembly.Module(readFileSync(MODULE_FILE))
  return new WebAssembly.Instance(compiled, {}).exports as VectorMath
}

/** The bytes that a vector takes up. */
export function strideOf(bytes: number): number {
  return Math.ceil(bytes / STEP_BYTES) * STEP_BYTES
}

/** Makes the memory at least so large; views of it that were taken before are empty then. */
export function reserveBytes({ memory }: VectorMath, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES))
}
