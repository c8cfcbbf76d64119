import { flowGet } from '../src/domains/flows/flow-get.ts'
import { flowList } from '../src/domains/flows/flow-list.ts'
import type { Operation } from '../src/operations/define-operation.ts'
import { openHub } from '../src/operations/hub.ts'
import { runOperation } from '../src/operations/run-operation.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { plainLog } from '../src/platform/basics/plain-log.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import { localCaller } from '../src/platform/identity/caller.ts'
import { percentile } from './cell.ts'
import { startHubProcess, temporaryFolder } from './hub-process.ts'
import { cpuMicros, idleShare, median } from './machine.ts'
import { drive, renderRequest } from './raw-driver.ts'
import { fillHome, flowIdAt, type Shape, spreadOver, versionAt } from './scale-homes.ts'
import { tellVerdict } from './verdict.ts'

const SMALL = 100
const LARGE = 100_000
const ROUNDS = 5
const CALLS = 2_000
const AT_ONCE = 10

/** What is asked, as the operation and as the path that leads to it. */
interface Question {
  name: string
  operation: Operation
  inputs: (shape: Shape, count: number) => Record<string, string | number>[]
}

const QUESTIONS: Record<Shape, readonly Question[]> = {
  flows: [
    { name: 'flow_list', operation: flowList, inputs: () => [{ limit: 50 }] },
    {
      name: 'flow_get',
      operation: flowGet,
      inputs: (shape, count) => spreadOver(count).map((at) => ({ flow_id: flowIdAt(shape, at) })),
    },
  ],
  versions: [
    { name: 'flow_list', operation: flowList, inputs: () => [{ limit: 50 }] },
    { name: 'flow_get latest', operation: flowGet, inputs: (shape) => [{ flow_id: flowIdAt(shape, 0) }] },
    {
      name: 'flow_get exact',
      operation: flowGet,
      inputs: (shape, count) =>
        spreadOver(count).map((at) => ({ flow_id: flowIdAt(shape, at), version: versionAt(shape, at) })),
    },
  ],
}

/** One home, ready to be asked: answers the median time of a call and its CPU time, in microseconds. */
type Asked = () => Promise<{ p50_us: number; cpu_us: number }>

function pathOf({ operation }: Question, input: Record<string, string | number>): string {
  const { flow_id, ...rest } = input
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, `${value}`]),
  )
  const path = (operation.rest ?? '').replace(/^GET /, '').replace('{flow_id}', `${flow_id}`)
  return query.size > 0 ? `${path}?${query}` : path
}

async function overRest(folder: string, shape: Shape, count: number) {
  const hub = await startHubProcess(folder)
  const headers = { authorization: `Bearer ${hub.token}` }
  const ask = (question: Question): Asked => {
    const requests = question
      .inputs(shape, count)
      .map((input) => renderRequest(pathOf(question, input), headers))
    return async () => {
      const before = cpuMicros(hub.pid)
      const done = await drive({
        url: hub.url,
        connections: AT_ONCE,
        requests,
        check(body, status) {
          if (status !== 200) throw new Error(`${question.name} answered ${status}: ${body}`)
        },
        limit: { calls: CALLS },
      })
      const cpu_us = (cpuMicros(hub.pid) - before) / done.calls
      return { p50_us: percentile(done.latencies_ms, 0.5) * 1_000, cpu_us }
    }
  }
  return { ask, end: hub.end }
}

async function direct(folder: string, shape: Shape, count: number) {
  const log = plainLog((line) => process.stderr.write(line), realSystem.now)
  const hub = await openHub({ home: homeAt(folder, {}), env: {}, system: realSystem, log })
  const base = {
    surface: 'cli' as const,
    caller: localCaller('other'),
    address: '127.0.0.1',
    vault: undefined,
  }
  const ask = (question: Question): Asked => {
    const inputs = question.inputs(shape, count)
    let turn = 0
    const call = async () => {
      const input = inputs[turn++ % inputs.length]
      const answer = await runOperation(hub, { ...base, operation: question.operation, input })
      if (!answer.ok) throw new Error(`${question.name}: ${answer.text}`)
    }
    return async () => {
      const before = process.cpuUsage()
      const times: number[] = []
      for (let done = 0; done < CALLS; done += AT_ONCE) {
        const started = performance.now()
        await Promise.all(Array.from({ length: AT_ONCE }, call))
        times.push(performance.now() - started)
      }
      const { user, system } = process.cpuUsage(before)
      return { p50_us: median(times) * 1_000, cpu_us: (user + system) / CALLS }
    }
  }
  return { ask, end: () => hub.close() }
}

const WAYS = { REST: overRest, direct }

const renderTimes = (times: number[], cpu: number[]) =>
  `${median(times).toFixed(0)} µs (${median(cpu).toFixed(0)} µs CPU a call)`

async function compare(name: string, small: Asked, large: Asked): Promise<void> {
  await small()
  await large()
  const idle = await idleShare()
  const found = {
    small: [] as number[],
    large: [] as number[],
    smallCpu: [] as number[],
    largeCpu: [] as number[],
  }
  for (let round = 0; round < ROUNDS; round++) {
    const [few, many] = [await small(), await large()]
    found.small.push(few.p50_us)
    found.large.push(many.p50_us)
    found.smallCpu.push(few.cpu_us)
    found.largeCpu.push(many.cpu_us)
  }
  const small_text = renderTimes(found.small, found.smallCpu)
  console.log(
    `  at ${SMALL}: ${small_text}, at ${LARGE}: ${renderTimes(found.large, found.largeCpu)}, idle before ${(idle * 100).toFixed(0)} %`,
  )
  tellVerdict({ name, measured: median(found.large) / median(found.small), bar: '≤ 1.5', unit: '×' })
}

const temporary = temporaryFolder()
console.log(`Growth: the median time of a call at ${LARGE} stored flow versions against ${SMALL}, SQLite`)
for (const shape of ['flows', 'versions'] as const) {
  const folders = [
    await fillHome(temporary.folder, shape, SMALL),
    await fillHome(temporary.folder, shape, LARGE),
  ] as const
  for (const [way, open] of Object.entries(WAYS)) {
    const small = await open(folders[0], shape, SMALL)
    const large = await open(folders[1], shape, LARGE)
    try {
      for (const question of QUESTIONS[shape])
        await compare(
          `scale, many ${shape}, ${question.name}, ${way}`,
          small.ask(question),
          large.ask(question),
        )
    } finally {
      await Promise.all([small.end(), large.end()])
    }
  }
}
temporary.remove()
