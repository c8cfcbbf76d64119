import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** 0.2 adds this check to each scenario, whatever else happened in it. */
const ON_EVERY_SCENARIO = 'wire-schema-valid'
const RUN_LIMIT_MS = 120_000
const CLIENT_RUN_LIMIT_MS = 300_000
const AUTH = 'auth'

/** What one scenario showed: checks that failed, or that it checked nothing at all. */
export type Outcome = 'pass' | 'nothing' | string[]

/** One run of a whole server suite; the runner itself exits 1 when any scenario fails, so the saved checks decide. */
export async function runServerSuite(
  program: string,
  url: string,
  ...options: string[]
): Promise<Record<string, Outcome>> {
  const saved = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const args = [program, 'server', '--url', url, '--suite', 'all', '-o', saved, ...options]
    const child = spawn(process.execPath, args, { stdio: 'ignore', timeout: RUN_LIMIT_MS })
    await once(child, 'exit')
    const folders = await readdir(saved)
    return Object.fromEntries(await Promise.all(folders.map((folder) => readOutcome(saved, folder))))
  } finally {
    await rm(saved, { recursive: true, force: true })
  }
}

/** One run of all scenarios for clients; `command` is started for each, with the address of its server. */
export async function runClientSuite(
  program: string,
  command: string,
  ...options: string[]
): Promise<Record<string, Outcome>> {
  const saved = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const args = [program, 'client', '--suite', 'all', '--command', command, '-o', saved, ...options]
    const child = spawn(process.execPath, args, { stdio: 'ignore', timeout: CLIENT_RUN_LIMIT_MS })
    await once(child, 'exit')
    const plain = (await readdir(saved)).filter((folder) => folder !== AUTH)
    const auth = (await readdir(join(saved, AUTH))).map((folder) => `${AUTH}/${folder}`)
    return Object.fromEntries(
      await Promise.all([...plain, ...auth].map((folder) => readOutcome(saved, folder))),
    )
  } finally {
    await rm(saved, { recursive: true, force: true })
  }
}

async function readOutcome(saved: string, folder: string): Promise<[string, Outcome]> {
  const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
  const checks: { id: string; status: string }[] = JSON.parse(
    await readFile(join(saved, folder, 'checks.json'), 'utf8'),
  )
  const failed = checks.filter((check) => check.status === 'FAILURE').map((check) => check.id)
  if (failed.length > 0) return [scenario, failed.toSorted()]
  const shown = checks.some((check) => check.status === 'SUCCESS' && check.id !== ON_EVERY_SCENARIO)
  return [scenario, shown ? 'pass' : 'nothing']
}
