import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  type BoundaryHub,
  entryCount,
  inputOf,
  run,
  startBoundaryHub,
  traceRun,
} from './boundary-hub.ts'
import { type EngineScripts, type ScriptName, writeEngineScripts } from './engine-scripts.ts'

const POLL_LIMIT = 400
const SNAPSHOT = { planted: 'SNAPSHOT-WORD' }

describe('an engine that is a command', () => {
  let hub: BoundaryHub
  let scripts: EngineScripts
  beforeAll(async () => {
    scripts = writeEngineScripts()
    hub = await startBoundaryHub({ engines: scripts.engines })
  })
  afterAll(async () => {
    await hub.close()
    scripts[Symbol.dispose]()
  })

  const trace = (engine: ScriptName, changes: object = {}) =>
    traceRun(hub, inputOf({ intelligenceSnapshot: SNAPSHOT, ...changes }), { engine })

  /** Looks at an execution until it is as wanted. */
  async function showUntil(run_id: string, isWanted: (execution: any) => boolean): Promise<any> {
    for (let looks = 0; looks < POLL_LIMIT; looks++) {
      const { execution } = (await ask(hub, 'boundary_show', { run_id })).body
      if (isWanted(execution)) return execution
      await new Promise((go) => setTimeout(go, 50))
    }
    throw new Error('The execution did not get there.')
  }

  test('gets its input and is answered for', async () => {
    const { execution, made } = await trace('good')
    expect([execution.state, made]).toEqual(['succeeded', 2])
  })

  test.each([
    ['hung', 'ENGINE_TIMEOUT'],
    ['deaf', 'ENGINE_TIMEOUT'],
    ['crashed', 'ENGINE_CRASHED'],
    ['killed', 'ENGINE_CRASHED'],
    ['silent', 'MODEL_OUTPUT_INVALID'],
    ['chatty', 'MODEL_OUTPUT_INVALID'],
    ['lying', 'MODEL_OUTPUT_INVALID'],
    ['flooding', 'ENGINE_FLOODED'],
    ['shouting', 'ENGINE_FLOODED'],
    ['forking', 'ENGINE_FLOODED'],
    ['sharing', 'ENGINE_FLOODED'],
  ] as const)('that is %s ends as %s, with nothing written', async (engine, code) => {
    const { execution, made, outcome, told } = await trace(engine)
    expect([execution.state, made, outcome.error.code, outcome.error.retryable]).toEqual([
      'failed',
      0,
      code,
      true,
    ])
    expect(told.text).not.toContain('SNAPSHOT-WORD')
  })

  test('that wants all memory is stopped, with nothing written', async () => {
    const { execution, made, outcome } = await trace('hungry')
    expect([execution.state, made]).toEqual(['failed', 0])
    expect(['ENGINE_FLOODED', 'ENGINE_CRASHED']).toContain(outcome.error.code)
  })

  test('that is not there, or cannot be started, is told so', async () => {
    const engines = { ...scripts.engines, gone: { kind: 'command', command: ['/no/such/engine'] } }
    hub.write(hub.home.vaultPolicy('default'), { engines })
    const { execution, outcome } = await traceRun(hub, inputOf(), { engine: 'gone' })
    expect([execution.state, outcome.error.code]).toEqual(['failed', 'ENGINE_UNAVAILABLE'])
  })

  test('tells how far it is, in a form, and nothing else it says is kept', async () => {
    const submitted = await run(hub, inputOf({ intelligenceSnapshot: SNAPSHOT }), {
      engine: 'slow',
      wait_seconds: 0,
    })
    const { run_id, state } = submitted.body.execution
    expect(['planned', 'running']).toContain(state)
    const seen = await showUntil(run_id, ({ progress }) => progress !== null)
    expect(seen).toMatchObject({ state: 'running', progress: { note: expect.stringMatching(/^step \d$/) } })
    const ended = await showUntil(run_id, (execution) => execution.outcome !== null)
    expect([ended.state, ended.progress]).toEqual(['succeeded', null])
    expect(JSON.stringify(ended) + hub.logged.join('')).not.toContain('SNAPSHOT-WORD')
  })

  test('is stopped when it is cancelled, and what it answers late is not kept', async () => {
    const count = await entryCount(hub)
    const input = inputOf({ constraints: { rest: 600 } })
    const { run_id } = (await run(hub, input, { engine: 'slow', wait_seconds: 0 })).body.execution
    await showUntil(run_id, ({ progress }) => progress !== null)
    const cancelled = await ask(hub, 'boundary_cancel', { run_id, reason: 'Not needed any more.' })
    expect(cancelled.body.execution).toMatchObject({
      state: 'cancelled',
      outcome: { status: 'cancelled', cancel_reason: 'Not needed any more.' },
    })
    const again = await ask(hub, 'boundary_cancel', { run_id })
    expect([again.status, again.body.idempotent]).toEqual([200, true])
    expect(await entryCount(hub)).toBe(count)
    for (let looks = 0; looks < POLL_LIMIT && isRunning(join(scripts.folder, 'slow.py')); looks++) {
      await new Promise((go) => setTimeout(go, 50))
    }
    expect(isRunning(join(scripts.folder, 'slow.py'))).toBe(false)
    const higher = await run(hub, { ...input, attempt: 2 }, { engine: 'slow' })
    expect([higher.status, higher.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
  })

  test.each([
    ['a folder', 'data', ''],
    ['a file', 'notes.txt', 'f.txt'],
    ['a folder on the way', 'data/sub', 'sub'],
  ])('is shown nothing through a link in a project, in the place of %s', async (_, named, target) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'engine-project-')))
    const [service, outside] = [join(base, 'project/web'), join(base, 'outside')]
    for (const folder of [service, join(base, 'project/.flow'), join(outside, 'sub')])
      mkdirSync(folder, { recursive: true })
    const files = ['f.txt', 'sub/f.txt'].map((name) => join(outside, name))
    for (const file of files) writeFileSync(file, 'OUTSIDE-WORD')
    const thief = (command: string[], read: string[]) => ({
      engines: { ...scripts.engines, thief: { ...scripts.engines.thief, command, read } },
    })
    const { command } = scripts.engines.thief as { command: string[] }
    const read = join(service, named)
    // What an agent with a seat there can put in the place of what the owner had in mind.
    const link = join(service, named.split('/')[0] as string)
    symlinkSync(named.includes('/') ? outside : join(outside, target), link)
    try {
      const constraints = { files, folders: [outside], writes: [], hosts: [] }
      for (const policy of [thief(command, [read]), thief([...command, read], [])]) {
        hub.write(hub.home.vaultPolicy('default'), policy)
        const { execution, told } = await trace('thief', { constraints })
        expect(JSON.stringify(execution) + told.text).not.toContain('OUTSIDE-WORD')
        const [ledger_id] = execution.outcome.artifact_ledger_ids ?? []
        const entry = ledger_id && (await ask(hub, 'ledger_show', { ledger_id })).text
        expect(entry ?? '').not.toContain('OUTSIDE-WORD')
      }
    } finally {
      hub.write(hub.home.vaultPolicy('default'), { engines: scripts.engines })
      rmSync(base, { recursive: true, force: true })
    }
  })

  test('that has ended cannot be cancelled', async () => {
    const { execution } = await trace('good')
    const told = await ask(hub, 'boundary_cancel', { run_id: execution.run_id })
    expect([told.status, told.code]).toEqual([409, 'EXECUTION_ENDED'])
  })
})

/** Whether some process on this machine runs this script. */
function isRunning(script: string): boolean {
  return readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(script))
}

function commandOf(pid: string): string {
  try {
    return String(readFileSync(`/proc/${pid}/cmdline`))
  } catch {
    return ''
  }
}
