import { hash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isProcessLocked } from '../../src/domains/toolbox/process-lock.ts'
import { indexPlaceOf } from '../../src/platform/knowledge/index/index-place.ts'
import { runInProcess } from '../harness/call-cli.ts'
import type { TestHubOptions } from '../harness/test-hub.ts'
import { type SeatChanges, startToolHub, type ToolHub, type Way } from './surface-hub.fixture.ts'

const QUIET_ROUNDS = 3
const LOOK_EVERY_MS = 50
const PATIENCE_ROUNDS = 1_200

/** What `knowledge index` and `knowledge import` tell. */
export interface Told {
  mode: string
  files: number
  embedded: number
  chunks: number
  removed: number
  skipped: Record<string, number>
  capped: boolean
  warnings: string[]
  code?: string
}

/** A hub beside a project, and what a test asks of its index. */
export interface KnowledgeHub extends ToolHub {
  search(query: string, more?: object, changes?: SeatChanges, way?: Way): Promise<Found>
  /** Runs a command over the project on the files of the hub's home. */
  knowledge(...words: string[]): Promise<Told>
  /** Waits until no indexer is at the project and its index is finished. */
  settled(): Promise<void>
  manifest(): Record<string, string>
}

export interface Found {
  results: {
    path: string
    start_line: number
    end_line: number
    name: string
    kind: string
    snippet: string
    score: number
    reasons: string[]
    readable: boolean
  }[]
  note?: string
  warning?: string
  progress?: { files_done: number; files_total: number | null; seconds_left: number | null }
}

/** Starts a hub; its project is removed only after the last indexer has let go of it. */
export async function startKnowledgeHub(
  config: object | null = null,
  options: TestHubOptions = {},
): Promise<KnowledgeHub> {
  const tools = await startToolHub(config, options)
  const { root } = tools.project
  return {
    ...tools,
    async search(query, more = {}, changes = {}, way = 'direct') {
      const { status, data, text } = await tools.call(way, 'search_knowledge', { query, ...more }, changes)
      if (status !== 'success') throw new Error([text, ...tools.hub.logged.slice(-5)].join('\n'))
      return data as Found
    },
    async knowledge(command = '', ...words) {
      const line = ['knowledge', command, ...words, '--project', root, '--json']
      const { stdout, stderr } = await runInProcess(line, tools.hub.options.env)
      return JSON.parse(stdout === '' ? stderr : stdout) as Told
    },
    settled: () => settle(root),
    manifest: () => JSON.parse(readFileSync(indexPlaceOf(root).manifest, 'utf8')),
    async [Symbol.asyncDispose]() {
      await tools.hub.close()
      await settle(root, false)
      rmSync(tools.project.base, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Waits until the index of a project is finished, or at least left alone. */
export async function settle(root: string, finished = true): Promise<void> {
  const { lock, manifest } = indexPlaceOf(root)
  let quiet = 0
  for (let round = 0; round < PATIENCE_ROUNDS; round += 1) {
    const isQuiet = !isProcessLocked(lock, () => new Date()) && (!finished || existsSync(manifest))
    quiet = isQuiet ? quiet + 1 : 0
    if (quiet >= QUIET_ROUNDS) return
    await pause(LOOK_EVERY_MS)
  }
  throw new Error(`The index of ${root} is not finished.`)
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let round = 0; round < PATIENCE_ROUNDS; round += 1) {
    if (await isSo()) return
    await pause(LOOK_EVERY_MS)
  }
  throw new Error(`It never came about that ${what}.`)
}

export function sha256Of(path: string): string {
  return hash('sha256', readFileSync(path))
}
