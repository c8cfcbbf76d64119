import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Agent } from 'undici'
import { delivererOf } from '../src/domains/control/subscriptions/delivery/deliverer.ts'
import { publishEvent } from '../src/domains/control/subscriptions/publish.ts'
import { allOperations } from '../src/domains/index.ts'
import { type Hub, openHub } from '../src/operations/hub.ts'
import { runOperation } from '../src/operations/run-operation.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import { localCaller } from '../src/platform/identity/caller.ts'
import { temporaryFolder } from './hub-process.ts'
import { cpuMicros, idleShare } from './machine.ts'
import { tellVerdict } from './verdict.ts'

const WANTED_PER_SECOND = 500
/** Deliveries in one measurement, shared out among the subscriptions. */
const DELIVERIES = 8_000
/** Several events a commit, so that delivering is measured and not the disk below who publishes. */
const PER_COMMIT = 20
const BARE_POSTS = 2_000
const WAIT_LIMIT_MS = 30_000
const LOOK_MS = 20

interface Tally {
  count: number
  faults: number
}

async function startSink() {
  const worker = new Worker(new URL('./event-sink.ts', import.meta.url))
  const [{ url }] = (await once(worker, 'message')) as [{ url: string }]
  const tally = async () => {
    worker.postMessage('tell', [])
    return ((await once(worker, 'message')) as [Tally])[0]
  }
  return { url, tally, end: () => worker.terminate() }
}

const quiet = () => {}

function openBenchHub(folder: string): Promise<Hub> {
  const log = { debug: quiet, info: quiet, warn: quiet, error: console.error }
  return openHub({ home: homeAt(folder, {}), env: {}, system: realSystem, log })
}

async function call(hub: Hub, name: string, input: object): Promise<Record<string, string>> {
  const operation = allOperations.find((one) => one.name === name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  const asked = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'bench' } as const
  const answer = await runOperation(hub, { ...asked, vault: undefined, input })
  if (!answer.ok) throw new Error(answer.text)
  return JSON.parse(answer.text)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_LIMIT_MS
  while (!(await isSo())) {
    if (performance.now() > end) return
    await pause(LOOK_MS)
  }
}

async function subscribe(hub: Hub, callback_url: string): Promise<void> {
  const { subscription_id } = await call(hub, 'event_subscription_create', { callback_url })
  await until(
    async () => (await call(hub, 'event_subscription_show', { subscription_id })).status === 'active',
  )
}

async function publishAll(hub: Hub, events: number): Promise<void> {
  for (let at = 0; at < events; at += PER_COMMIT)
    await hub.db.transaction(async (tx) => {
      for (let number = at; number < at + PER_COMMIT; number++)
        await publishEvent(tx, hub, {
          type: 'pdpp.records.changed',
          subject: 'conn_bench',
          stream: 'notes',
          connection_id: 'conn_bench',
          data: { changes_since: String(number) },
        })
    })
}

/** As many posts of the same size by the client alone, one after the other: what the way itself costs. */
async function postBare(url: string): Promise<number> {
  const agent = new Agent({ connections: 1, pipelining: 1 })
  const begun = performance.now()
  for (let number = 1; number <= BARE_POSTS; number++) {
    const body = JSON.stringify({ source: 'bare', sequence: String(number), data: { text: 'x'.repeat(350) } })
    const { body: answer } = await agent.request({ origin: url, path: '/', method: 'POST', body })
    await answer.dump()
  }
  const seconds = (performance.now() - begun) / 1_000
  await agent.close()
  return BARE_POSTS / seconds
}

/** Events are published and delivered at the same time, from the first commit to the last delivery. */
async function measure(subscriptions: number): Promise<void> {
  const events = DELIVERIES / subscriptions
  console.log(
    `Events: ${events} to each of ${subscriptions}, ${PER_COMMIT} a commit, SQLite, ` +
      `${((await idleShare()) * 100).toFixed(0)} % idle`,
  )
  const home = temporaryFolder()
  const sink = await startSink()
  const hub = await openBenchHub(home.folder)
  delivererOf(hub)
  for (let made = 0; made < subscriptions; made++) await subscribe(hub, sink.url)
  const [begun, cpu] = [performance.now(), cpuMicros(process.pid)]
  const published = publishAll(hub, events).then(() => performance.now())
  await until(async () => (await sink.tally()).count >= DELIVERIES)
  const seconds = (performance.now() - begun) / 1_000
  const spent = (cpuMicros(process.pid) - cpu) / DELIVERIES
  const { count, faults } = await sink.tally()
  const bare = await postBare(sink.url)
  console.log(
    `  published within ${(((await published) - begun) / 1_000).toFixed(2)} s, delivered within ` +
      `${seconds.toFixed(2)} s: ${(count / seconds).toFixed(0)} events/s, ${spent.toFixed(0)} µs of CPU each; ` +
      `bare posts one after the other: ${bare.toFixed(0)}/s`,
  )
  await hub.close()
  await sink.end()
  home.remove()
  const of = `${subscriptions} subscription${subscriptions > 1 ? 's' : ''}`
  tellVerdict({
    name: `events delivered to ${of} against ${WANTED_PER_SECOND} a second`,
    measured: count / seconds / WANTED_PER_SECOND,
    bar: '≥ 1',
    unit: '×',
  })
  tellVerdict({
    name: `events lost, doubled or out of order, ${of}`,
    measured: Math.abs(DELIVERIES - count) + faults,
    bar: '≤ 0',
    unit: 'left',
  })
}

for (const subscriptions of [1, 8]) await measure(subscriptions)
