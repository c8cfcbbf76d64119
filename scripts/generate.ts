import { readFileSync, writeFileSync } from 'node:fs'
import asc from 'assemblyscript/asc'
import openWabt from 'wabt'
import { allOperations } from '../src/domains/index.ts'
import { buildRegistry } from '../src/operations/registry.ts'
import { openApiDocument } from '../src/surfaces/openapi/openapi-document.ts'
import { renderOperationsPage } from '../src/surfaces/openapi/operations-page.ts'

/** Writes what is derived from the operations and other sources, or with --check tells whether it is up to date. */
const registry = buildRegistry(allOperations)
const files = [
  ['openapi.json', `${JSON.stringify(openApiDocument(registry), null, 2)}\n`],
  ['docs/operations.md', renderOperationsPage(registry)],
  ['programs/vector-math.wasm', await assemble('programs/vector-math.wat')],
  ['programs/digest.wasm', await compile('programs/digest/index.ts')],
  ['programs/lines.wasm', await compile('programs/lines/index.ts')],
  ['programs/line-sieve.wasm', await compile('programs/line-sieve/index.ts')],
  ['programs/postings.wasm', await compile('programs/postings/index.ts')],
] as const

for (const [path, content] of files) {
  if (!process.argv.includes('--check')) writeFileSync(path, content)
  else if (!readFileSync(path).equals(Buffer.from(content))) {
    console.error(`${path} is not up to date. Run: npm run generate`)
    process.exitCode = 1
  }
}

async function assemble(path: string): Promise<Uint8Array> {
  const { parseWat } = await openWabt()
  return parseWat(path, readFileSync(path, 'utf8'), { simd: true }).toBinary({}).buffer
}

/** Without a collector or anything else to be run beside: the program has its memory to itself. */
async function compile(path: string): Promise<Uint8Array> {
  let binary: Uint8Array | undefined
  const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']
  const { error, stderr } = await asc.main([path, ...flags, '--outFile', 'out.wasm'], {
    writeFile: (_, content) => {
      binary = content as Uint8Array
    },
  })
  if (error || binary === undefined) throw new Error(`${path} cannot be compiled: ${stderr}`)
  return binary
}
