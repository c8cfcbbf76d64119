import { readFileSync } from 'node:fs'
import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { exportAudit } from '../../../platform/audit/read-audit.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import type { AuditSink } from '../../../platform/policy/hub-config.ts'
import type { Task } from '../../../platform/work/work-kind.ts'
import { openWorker } from '../../../platform/work/worker.ts'
import { appendLines } from './file-sink.ts'
import { linkRecords } from './link-records.ts'
import { postRecords } from './otlp-sink.ts'
import { type LinkedRecord, renderRecord } from './record-shapes.ts'
import {
  addSink,
  advanceSink,
  failSink,
  listDueSinks,
  readSink,
  type SinkClaim,
  sinkWork,
} from './sink-store.ts'
import { frameOf, sendFrames } from './syslog-sink.ts'

/** Records that a sink gets at once. */
const BATCH = 1_000
const MAX_SINKS = 8
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 300_000

/** Sends what is on record to the sinks of the configuration, as far as no other hub does. */
export async function sendToSinks(hub: Hub): Promise<void> {
  if (hub.config.audit.sinks.length > 0) await (await partOf(hub, openSender)).look()
}

async function openSender(hub: Hub) {
  const { sinks } = hub.config.audit
  await hub.db.transaction(async (tx) => {
    for (const { name } of sinks) await addSink(tx, name)
  })
  const known = new Map(sinks.map((sink) => [sink.name, sink]))
  const worker = openWorker<'sink', SinkClaim>({
    db: hub.db,
    system: hub.system,
    table: sinkWork,
    slots: MAX_SINKS,
    // A sink that the configuration names no more keeps its place, and gets nothing.
    async find(time, limit) {
      const due = await listDueSinks(hub.db, hub.system.now().toISOString(), time, limit)
      return due.filter(({ sink }) => known.has(sink))
    },
    claim: (tx, key, owner) => sinkWork.claim(tx, hub, key, owner),
    work: async (task) => {
      const sink = known.get(task.claim.sink)
      if (sink) await serveSink(hub, sink, task)
    },
    onFault: (error) => reportFault(hub.log, 'audit_sink', error),
  })
  hub.closing.push(worker.close)
  return worker
}

/** Sends batch after batch until the sink has all, or takes no more. */
async function serveSink(hub: Hub, sink: AuditSink, { claim, signal }: Task<SinkClaim>): Promise<void> {
  while (!signal.aborted) {
    const state = await readSink(hub.db, claim)
    if (!state) return
    const records = await readBatch(hub, state.seq)
    const last = records.at(-1)
    if (!last) return hub.db.transaction((tx) => sinkWork.release(tx, claim))
    if (last.seq - records.length > state.seq)
      hub.log.warn(
        { sink: sink.name, after_seq: state.seq },
        'retention has cut off records that a sink never got',
      )
    try {
      await deliver(sink, records)
    } catch (error) {
      const failure = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      const attempts = state.attempts + 1
      const wait_ms = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS)
      const next_attempt_at = new Date(hub.system.now().getTime() + wait_ms).toISOString()
      if (attempts === 1) hub.log.warn({ sink: sink.name, failure }, 'a sink of the audit log takes nothing')
      await hub.db.transaction((tx) => failSink(tx, claim, { attempts, next_attempt_at, failure }))
      return
    }
    const at = hub.system.now().toISOString()
    if (!(await hub.db.transaction((tx) => advanceSink(tx, claim, last.seq, at)))) return
  }
}

async function readBatch({ db }: Hub, after_seq: number): Promise<LinkedRecord[]> {
  const { records, previous_hash } = await exportAudit(db, { after_seq, limit: BATCH })
  return linkRecords(records, previous_hash)
}

async function deliver(sink: AuditSink, records: readonly LinkedRecord[]): Promise<void> {
  const texts = records.map((record) => renderRecord(record, sink.format))
  if (sink.kind === 'file') return appendLines(sink, texts)
  if (sink.kind === 'syslog')
    return sendFrames(
      sink,
      records.map((record, at) => frameOf(record, texts[at] as string)),
    )
  const { url, authorization_file } = sink
  const authorization = authorization_file && readFileSync(authorization_file, 'utf8').trim()
  return postRecords(
    { url, authorization },
    records.map((record, at) => [record, texts[at] as string] as const),
  )
}
