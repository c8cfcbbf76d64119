import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

let loading: Promise<WebAssembly.Module> | undefined

/** The compiled engine. It is compiled once in a process; all threads share its code. */
export function loadEngineModule(): Promise<WebAssembly.Module> {
  loading ??= compileModule()
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

async function compileModule(): Promise<WebAssembly.Module> {
  const folder = dirname(createRequire(import.meta.url).resolve('rregex'))
  return WebAssembly.compile(await readFile(join(folder, 'rregex.wasm')))
}
