import type { Channel, ChannelListener } from 'node:diagnostics_channel'
import { Counter, Gauge, type Registry } from 'prom-client'
import { indexChannel } from '../../../domains/toolbox/knowledge/indexing/index-channel.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { AuditRecord } from '../../../platform/audit/audit-record.ts'
import { commandChannel } from '../../../platform/sandbox/command-channel.ts'
import { sql } from '../../../platform/storage/database.ts'
import { askPatiently } from '../store-patience.ts'

const openReviews = sql<{ count: number }>(`SELECT COUNT(*) AS count FROM pin_reviews WHERE state = 'open'`)

/** What the hub does beside answering calls, and what waits for the owner because of tools that changed. */
export function measureWork(hub: Hub, registers: Registry[]): void {
  const count = askPatiently(() => hub.db.get(openReviews).catch(() => undefined), undefined)
  const pins: Gauge = new Gauge({
    name: 'knowtation_changed_pins',
    help: 'Pinned tools that are closed because their server defines them otherwise than they were reviewed.',
    registers,
    collect: async () => pins.set(Number((await count())?.count ?? Number.NaN)),
  })
  const skew: Gauge = new Gauge({
    name: 'knowtation_clock_skew_seconds',
    help: "How far this machine's clock is ahead of the database's, which counts for all; 0 on SQLite.",
    registers,
    collect: () => skew.set((hub.machineNow().getTime() - hub.system.now().getTime()) / 1_000),
  })
  const running = new Gauge({
    name: 'knowtation_sandbox_commands_running',
    help: 'Commands that run in the sandbox now.',
    registers,
  })
  const commands = new Counter({
    name: 'knowtation_sandbox_commands_total',
    help: 'Commands that were run in the sandbox.',
    registers,
  })
  listen(hub, commandChannel, ({ event }) => {
    running.inc(event === 'begun' ? 1 : -1)
    if (event === 'begun') commands.inc()
  })
  const indexing = new Gauge({
    name: 'knowtation_index_runs_running',
    help: 'Runs of the indexer that go on now.',
    registers,
  })
  const indexed = new Counter({
    name: 'knowtation_index_runs_total',
    help: 'Runs of the indexer that have ended, by how.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['finished', 'failed']) indexed.inc({ outcome }, 0)
  listen(hub, indexChannel, ({ event }) => {
    indexing.inc(event === 'begun' ? 1 : -1)
    if (event !== 'begun') indexed.inc({ outcome: event })
  })
}

function listen<Told>(hub: Hub, told: Channel<unknown, Told>, hear: (message: Told) => void): void {
  const listener = hear as ChannelListener
  told.subscribe(listener)
  hub.closing.push(async () => void told.unsubscribe(listener))
}

/**
 * Counts why calls were not carried out, and how the tools behind the policy answer. Both have few values: codes are
 * declared, and a record names a tool only if the owner has listed it.
 */
export function toolCounter(registers: Registry[]): (record: AuditRecord) => void {
  const refusals = new Counter({
    name: 'knowtation_refusals_total',
    help: 'Calls that were not carried out, by their code.',
    labelNames: ['code'],
    registers,
  })
  const tools = new Counter({
    name: 'knowtation_tool_calls_total',
    help: 'Calls of the tools that policies list, by outcome: the health of what is behind them.',
    labelNames: ['tool', 'outcome'],
    registers,
  })
  return ({ outcome, code, target_kind, target_id: tool }) => {
    if (outcome !== 'allowed' && code !== null) refusals.inc({ code })
    if (target_kind === 'external_tool' && tool !== null) tools.inc({ tool, outcome })
  }
}
