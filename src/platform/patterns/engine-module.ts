import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Compiles the engine; the threads of a pool share its code. */
export async function loadEngineModule(): Promise<WebAssembly.Module> {
  const folder = dirname(createRequire(import.meta.url).resolve('rregex'))
  return WebAssembly.compile(await readFile(join(folder, 'rregex.wasm')))
}
