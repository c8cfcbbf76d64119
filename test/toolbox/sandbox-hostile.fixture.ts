import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import type { TestService } from './commands-service.fixture.ts'

// `attempt` notes the error code, or what came back when there was none.
const PRELUDE = `
import fs from 'node:fs'
import net from 'node:net'
import { spawnSync, spawn } from 'node:child_process'
const seen = {}
const attempt = (name, act) => { try { seen[name] = act() ?? 'done' } catch (e) { seen[name] = e.code ?? String(e) } }
const connect = (name, where) => new Promise((end) => {
  const socket = net.connect(where)
  socket.setTimeout(3000, () => socket.destroy(new Error('timeout')))
  socket.once('connect', () => { seen[name] = 'connected'; socket.destroy(); end() })
  socket.once('error', (e) => { seen[name] = e.code ?? e.message; end() })
})
`

/** Runs hostile code as a test of the service, and answers what it noted in \`seen\`. */
export async function runHostile(service: TestService, code: string): Promise<Record<string, unknown>> {
  service.write('hostile.mjs', `${PRELUDE}\n${code}\n;console.log(JSON.stringify(seen))`)
  const { stdout } = await service.call(runTest, { target: 'hostile.mjs', truncation_strategy: 'TAIL:1' })
  return JSON.parse(stdout) as Record<string, unknown>
}
