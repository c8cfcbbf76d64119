import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { ask, type BoundaryHub, inputOf, run, startBoundaryHub, traceRun } from './boundary-hub.ts'
import { type EngineScripts, writeEngineScripts } from './engine-scripts.ts'
import { answering, artifactOf, goodAnswer } from './probe-engine.ts'

/** A credential by its form; no such one was ever given out. */
const WORD = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`
const POLL_LIMIT = 600
const POLL_PAUSE_MS = 25

describe.each(DATABASES)('what an engine says on %s', (database) => {
  let hub: BoundaryHub
  let scripts: EngineScripts
  beforeAll(async () => {
    scripts = writeEngineScripts()
    hub = await startBoundaryHub({ database, engines: scripts.engines })
  })
  afterAll(async () => {
    await hub.close()
    scripts[Symbol.dispose]()
  })

  test('brings no secret into the ledger as the name of its model', async () => {
    const metadata = { generatedAt: '2025-01-19T10:05:00.000Z', model: `gpt ${WORD}`, tokensUsed: 7 }
    hub.probe.answer = (input) => ({
      ...goodAnswer(input),
      artifacts: [{ ...artifactOf(input), metadata }],
    })
    const { outcome, made } = await traceRun(hub, inputOf())
    expect([outcome.status, made]).toEqual(['succeeded', 2])
    const told = await ask(hub, 'ledger_show', { ledger_id: outcome.event_ledger_id })
    expect(told.body.entry.payload.result.artifacts).toMatchObject([
      { metadata: { ...metadata, model: 'gpt [REDACTED:github_token]' } },
    ])
    const stored = await hub.hub.db.all(sql<object>('SELECT * FROM ledger_entries'))
    expect(JSON.stringify(stored)).not.toContain(WORD)
  })

  test('is named where it breaks the contract, but no secret is', async () => {
    hub.probe.answer = answering({ [WORD]: 1, extra: 2 })
    const { told, outcome, made } = await traceRun(hub, inputOf())
    expect([outcome.error.code, made]).toEqual(['MODEL_OUTPUT_INVALID', 0])
    expect(outcome.violations.map(({ path }: { path: string }) => path)).toContain('extra')
    expect(told.text).not.toContain(WORD)
  })

  test.each([
    ['alone', `with ${WORD}`, /^with \[REDACTED:github_token\]$/],
    ['at its cut', `${'so far '.repeat(15)}${WORD}`, /^(so far ){15}\[REDACTED/],
    ['in colours', `with \u001b[31m${WORD}\u001b[0m`, /^with.{0,6}\[REDACTED:github_token\]/],
  ])('shows no secret in its progress: %s', async (_where, note, expected) => {
    const report = `print(json.dumps({"progress": 0.5, "note": ${JSON.stringify(note)}}), file=sys.stderr, flush=True)`
    writeFileSync(join(scripts.folder, 'hung.py'), `import json, sys, time\n${report}\ntime.sleep(600)\n`)
    const { run_id } = (await run(hub, inputOf(), { engine: 'hung', wait_seconds: 0 })).body.execution
    const shown = await showProgress(hub, run_id)
    await ask(hub, 'boundary_cancel', { run_id })
    expect(shown).toMatchObject({ share: 0.5, note: expect.stringMatching(expected) })
    expect(JSON.stringify(shown)).not.toContain('ghp_')
  })

  test('counts also behind the mark with which some runtimes begin what they print', async () => {
    const good = JSON.stringify(goodAnswer(inputOf()))
    const lines = [
      'import json, sys',
      `answer = json.loads(${JSON.stringify(good)})`,
      'answer["executionId"] = json.load(sys.stdin)["executionId"]',
      'sys.stdout.buffer.write(b"\\xef\\xbb\\xbf" + json.dumps(answer).encode())',
    ]
    writeFileSync(join(scripts.folder, 'good.py'), `${lines.join('\n')}\n`)
    const { outcome, made } = await traceRun(hub, inputOf(), { engine: 'good' })
    expect([outcome.status, made]).toEqual(['succeeded', 2])
  })

  verifies('BNDY-054', 'of ids that no entry can have is refused as any other id is', async () => {
    for (const id of ['led\u0000x', 'led-100\u0000', '\ud800', 'led 100']) {
      const { told, called } = await traceRun(
        hub,
        inputOf({ allowedLineage: { dependsOnLedgerIds: ['led-100', id] } }),
      )
      expect([id, told.status, told.code, called]).toEqual([id, 400, 'MISSING_LINEAGE', 0])
    }
  })
})

async function showProgress(hub: BoundaryHub, run_id: string): Promise<unknown> {
  for (let looks = 0; looks < POLL_LIMIT; looks++) {
    const { progress } = (await ask(hub, 'boundary_show', { run_id })).body.execution
    if (progress !== null) return progress
    await pause(POLL_PAUSE_MS)
  }
  throw new Error('The engine tells no progress.')
}
