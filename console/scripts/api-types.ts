import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'

/** Writes the types of every operation over HTTP, from the hub's own description of them. They are made, not kept. */
const CONSOLE = join(import.meta.dirname, '..')
const document = readFileSync(join(CONSOLE, '../openapi.json'), 'utf8')
const nodes = await openapiTS(JSON.parse(document), { emptyObjectsUnknown: true })
writeFileSync(join(CONSOLE, 'src/api/schema.d.ts'), astToString(nodes))
