import type { Log } from '../../../platform/basics/plain-log.ts'
import { guardedAgents } from '../../../platform/upstream/http/guarded-agent.ts'
import type { Collector, Json, JsonObject, Page, Source } from './connector.ts'
import { SourceFault } from './connector.ts'
import { type SourceReach, safeFetch } from './safe-fetch.ts'

/** A source as the hub would open it, on real connections, with what it logged. */
export interface TestSource extends Source, AsyncDisposable {
  readonly secrets: Map<string, string>
  readonly logged: string[]
  at(checkpoint: Json): TestSource
}

export interface TestSourceOptions {
  settings?: Record<string, string>
  secrets?: Record<string, string>
  checkpoint?: Json
  signal?: AbortSignal
  reach?: Partial<SourceReach>
  now?: () => Date
}

const LOOPBACK = ['127.0.0.0/8', '::1']

/** Opens a source of a test. Loopback is allowed, as an owner would allow it. */
export function openTestSource(options: TestSourceOptions = {}): TestSource {
  const { settings = {}, signal = new AbortController().signal, reach = {} } = options
  const agents = guardedAgents(reach.lookup)
  const secrets = new Map(Object.entries(options.secrets ?? {}))
  const logged: string[] = []
  const write = (fields: object, message: string) => void logged.push(JSON.stringify({ fields, message }))
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const source: TestSource = {
    connection_id: 'conn_test',
    settings,
    secrets,
    logged,
    async secret(name) {
      const value = secrets.get(name)
      if (value === undefined) throw new SourceFault('needs_attention', `no credential called ${name}`)
      return value
    },
    replaceSecret: async (name, value) => void secrets.set(name, value),
    fetch: safeFetch(agents, { allow_addresses: LOOPBACK, ...reach }, signal),
    checkpoint: options.checkpoint ?? null,
    signal,
    log,
    now: options.now ?? (() => new Date()),
    at: (checkpoint) => ({ ...source, checkpoint }),
    [Symbol.asyncDispose]: () => agents.close(),
  }
  return source
}

/** What one or several runs have brought. */
export interface Collected {
  readonly pages: Page[]
  readonly records: Map<string, JsonObject>
  /** Every key that was brought, as often as it was. */
  readonly upserted: string[]
  readonly removed: string[]
  readonly checkpoint: Json
}

/** Lets a collector run on what another run has left; breaks it off after some pages where that is said. */
export async function collectPages(
  collector: Collector,
  source: TestSource,
  options: { before?: Collected; max_pages?: number } = {},
): Promise<Collected> {
  const { before, max_pages = Number.POSITIVE_INFINITY } = options
  let checkpoint: Json = before ? before.checkpoint : source.checkpoint
  const records = new Map(before?.records)
  const [pages, upserted, removed]: [Page[], string[], string[]] = [[], [], []]
  if (max_pages === 0) return { pages, records, upserted, removed, checkpoint }
  // A checkpoint goes through the database in between.
  const at = JSON.parse(JSON.stringify(checkpoint)) as Json
  for await (const page of collector.collect(source.at(at))) {
    pages.push(page)
    for (const { key, data } of page.upserts) records.set(`${page.stream}:${key}`, data)
    for (const key of page.removals ?? []) records.delete(`${page.stream}:${key}`)
    upserted.push(...page.upserts.map(({ key }) => `${page.stream}:${key}`))
    removed.push(...(page.removals ?? []).map((key) => `${page.stream}:${key}`))
    checkpoint = page.checkpoint
    if (pages.length >= max_pages) break
  }
  return { pages, records, upserted, removed, checkpoint }
}

/** Breaks a run off after each of its pages in turn, and goes on from there: nothing comes twice, nothing is lost. */
export async function collectBrokenOff(
  collector: Collector,
  source: TestSource,
): Promise<{ whole: Collected; broken: { records: Map<string, JsonObject>; upserted: string[] }[] }> {
  const whole = await collectPages(collector, source)
  const broken = []
  for (let max_pages = 1; max_pages < whole.pages.length; max_pages++) {
    const first = await collectPages(collector, source, { max_pages })
    const rest = await collectPages(collector, source, { before: first })
    broken.push({ records: rest.records, upserted: [...first.upserted, ...rest.upserted] })
  }
  return { whole, broken }
}
