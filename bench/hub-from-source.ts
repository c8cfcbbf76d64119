import { parseArgs } from 'node:util'
import { serveHub } from '../src/surfaces/rest/serve.ts'

const { values } = parseArgs({
  allowPositionals: true,
  options: { log: { type: 'string' }, port: { type: 'string' }, home: { type: 'string' } },
})
await serveHub({ home: values.home, port: Number(values.port), log: 'json', env: process.env })
process.exit()
