import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer } from '../../engines/typescript/engine.ts'
import { checkExchange } from '../../src/boundary/index.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { runInProcess } from '../harness/call-cli.ts'

const ENGINES = join(PACKAGE_FOLDER, 'engines')

describe('from the command line of a home', () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-boundary-'))
  const env = { KNOWTATION_HOME: join(folder, 'home') }
  const cli = (...argv: string[]) => runInProcess(argv, env)
  beforeAll(() => {
    const { vaultPolicy } = homeAt(undefined, env)
    mkdirSync(dirname(vaultPolicy('default')), { recursive: true })
    const engines = {
      'site-planner': { kind: 'command', command: [process.execPath, join(ENGINES, 'typescript/engine.ts')] },
      clusterer: { kind: 'command', command: ['/usr/bin/python3', join(ENGINES, 'python/engine.py')] },
    }
    writeFileSync(vaultPolicy('default'), JSON.stringify({ engines }))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each([
    [
      'site-planner',
      'site_plan',
      'typescript',
      { sections: [{ name: 'guides' }, { name: 'pricing' }], left_out: 1 },
    ],
    ['clusterer', 'seo_cluster', 'python', { clusters: [{ topic: 'repair' }, { topic: 'rain' }] }],
  ] as const)(
    'the sample engine %s does its work in the sandbox',
    async (engine, type, language, payload) => {
      const sample = JSON.parse(readFileSync(join(ENGINES, language, 'input.json'), 'utf8'))
      const file = join(folder, `${engine}.json`)
      const entry = [
        '--tenant-id',
        't-001',
        '--source',
        'crm',
        '--type',
        'signal',
        '--payload',
        '{"seen":true}',
      ]
      expect((await cli('ledger', 'append', ...entry)).exit).toBe(0)
      const parts = {
        tenant_id: 't-001',
        robot_id: 'r-001',
        objective: sample.objective,
        constraints: sample.constraints,
        snapshot: sample.intelligenceSnapshot,
      }
      const composed = await cli('boundary', 'compose', '--input', JSON.stringify(parts), '--out', file)
      expect([composed.exit, composed.stdout]).toEqual([0, `Wrote ${file}.\n`])
      const made = await cli('boundary', 'run', '--input', file, '--engine', engine)
      expect([made.exit, made.stderr]).toEqual([0, ''])
      expect(made.stdout).toContain('succeeded')
      const again = JSON.parse(
        (await cli('boundary', 'run', '--input', file, '--engine', engine, '--json')).stdout,
      )
      expect(again.idempotent).toBe(true)
      const [ledger_id] = again.execution.outcome.artifact_ledger_ids
      const { entry: artifact } = JSON.parse((await cli('ledger', 'show', ledger_id, '--json')).stdout)
      expect(artifact).toMatchObject({ type, state: 'draft', payload })
      expect((await cli('ledger', 'lineage', ledger_id)).stdout).toContain('signal, recorded')
    },
    60_000,
  )

  test('everything reads well, and failures end with a code and a hint', async () => {
    expect((await cli('boundary', 'engines')).stdout).toContain('site-planner')
    expect((await cli('boundary', 'list')).stdout).toMatch(/^RUN .+\n(brun_\S+ .+succeeded.+\n){2}/)
    expect((await cli('ledger', 'list', '--limit', '1')).stdout).toMatch(/More: --cursor \S+\n$/)
    expect((await cli('ledger', 'verify')).stdout).toMatch(
      /^The ledger is intact: \d+ entries of 1 tenant\.\n$/,
    )
    expect((await cli('boundary', 'dead-letter', 'list')).exit).toBe(0)
    const file = join(folder, 'wrong.json')
    writeFileSync(
      file,
      JSON.stringify({
        ...JSON.parse(readFileSync(join(folder, 'clusterer.json'), 'utf8')),
        executionId: 'exec-x',
      }),
    )
    const failed = await cli('boundary', 'run', '--input', file, '--engine', 'site-planner')
    expect([failed.exit, failed.stdout]).toEqual([1, expect.stringContaining('VALIDATION_ERROR')])
    expect(failed.stdout).toContain('This engine makes site plans only.')
    expect(failed.stderr).toMatch(/^Hint: Give the engine an input that it takes, .+\n$/)
    const asJson = await cli('boundary', 'run', '--input', file, '--engine', 'site-planner', '--json')
    expect([asJson.exit, asJson.stderr]).toEqual([1, ''])
    const { run_id } = JSON.parse(asJson.stdout).execution
    expect((await cli('boundary', 'show', run_id)).stdout).toContain('exec-x of r-001')
    const ended = await cli('boundary', 'cancel', run_id)
    expect([ended.exit, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/^Error \(EXECUTION_ENDED\).+\nHint: /),
    ])
    const unknown = await cli('boundary', 'run', '--input', file, '--engine', 'nope')
    expect(unknown.stderr).toMatch(/^Error \(IDEMPOTENCY_CONFLICT\).+\nHint: /)
  }, 60_000)
})

describe('the sample engines', () => {
  test('answer by the contract also when they are not meant', () => {
    const input = JSON.parse(readFileSync(join(ENGINES, 'typescript/input.json'), 'utf8'))
    expect(checkExchange(input, answer(input))).toMatchObject({ ok: true })
    const other = { ...input, allowedArtifactTypes: ['copy'] }
    expect(checkExchange(other, answer(other))).toMatchObject({ ok: true, output: { status: 'failed' } })
  })
})
