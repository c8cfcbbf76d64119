import { readFileSync, writeFileSync } from 'node:fs'
import { allOperations } from '../src/domains/index.ts'
import { buildRegistry } from '../src/operations/registry.ts'
import { openApiDocument } from '../src/surfaces/openapi/openapi-document.ts'
import { renderOperationsPage } from '../src/surfaces/openapi/operations-page.ts'

/** Writes what is derived from the operations, or with --check tells whether it is up to date. */
const registry = buildRegistry(allOperations)
const files = [
  ['openapi.json', `${JSON.stringify(openApiDocument(registry), null, 2)}\n`],
  ['docs/operations.md', renderOperationsPage(registry)],
] as const

for (const [path, content] of files) {
  if (!process.argv.includes('--check')) writeFileSync(path, content)
  else if (!readFileSync(path).equals(Buffer.from(content))) {
    console.error(`${path} is not up to date. Run: npm run generate`)
    process.exitCode = 1
  }
}
