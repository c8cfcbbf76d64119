import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentInputSchema, agentOutputSchema, checkExchange } from '../../src/boundary/index.ts'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { runInProcess } from '../harness/call-cli.ts'

interface Exchange {
  name: string
  valid: boolean
  code: string | null
  paths: string[]
  input: unknown
  output: unknown
}

const ENGINES = join(PACKAGE_FOLDER, 'engines')
const readJson = (path: string) => JSON.parse(readFileSync(join(ENGINES, path), 'utf8')) as unknown
const kit = readJson('conformance/exchanges.json') as Exchange[]

test('the published schemas are those of the library', () => {
  expect(readJson('contract/agent-input.schema.json')).toEqual(agentInputSchema)
  expect(readJson('contract/agent-output.schema.json')).toEqual(agentOutputSchema)
})

describe('the conformance kit', () => {
  test('has good and bad exchanges, each named once', () => {
    expect(new Set(kit.map(({ name }) => name)).size).toBe(kit.length)
    expect(kit.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(10)
    expect(kit.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(30)
    expect(new Set(kit.map(({ code }) => code))).toEqual(
      new Set([null, 'MODEL_OUTPUT_INVALID', 'VALIDATION_ERROR', 'COHERENCE_BLOCKED']),
    )
  })

  test.each(kit)('$name', ({ input, output, valid, code, paths }) => {
    const verdict = checkExchange(input, output)
    expect(verdict.ok).toBe(valid)
    if (verdict.ok) return
    expect([verdict.code, verdict.violations.map(({ path }) => path)]).toEqual([code, paths])
  })
})

const check = (exchange: { input: unknown; output: unknown }, ...more: string[]) =>
  runInProcess(
    [
      'boundary',
      'check',
      '--input',
      JSON.stringify(exchange.input),
      '--output',
      JSON.stringify(exchange.output),
      ...more,
    ],
    {},
  )

describe('knowtation boundary check', () => {
  const [good, bad] = [kit.find(({ valid }) => valid), kit.find(({ valid }) => !valid)] as [
    Exchange,
    Exchange,
  ]
  test('tells a person and a script whether an exchange is valid', async () => {
    expect(await check(good)).toEqual({ exit: 0, stdout: 'The exchange is valid.\n', stderr: '' })
    const { exit, stdout, stderr } = await check(bad)
    expect([exit, stdout]).toEqual([
      1,
      'artifacts[0].dependsOnLedgerIds[0]: is not in allowedLineage\nextra: is not a key of the contract\n',
    ])
    expect(stderr).toMatch(/^Error \(MODEL_OUTPUT_INVALID\): 2 violations\.\nHint: .+ schema output`.+\n$/)
    const hintFor = async (changes: object) =>
      (await check({ ...good, input: Object.assign({}, good.input, changes) })).stderr
    expect(await hintFor({ tenantId: '' })).toMatch(
      /^Error \(VALIDATION_ERROR\): 1 violation\.\nHint: .+ schema input`.+\n$/,
    )
    expect(await hintFor({ runMode: 'execute', coherenceStatus: 'stale' })).toMatch(
      /^Error \(COHERENCE_BLOCKED\): 1 violation\.\nHint: .+ dry_run\.\n$/,
    )
    const told = JSON.parse((await check(bad, '--json')).stdout)
    expect(told).toEqual({
      schema: 'knowtation.boundary_check/v0',
      valid: false,
      code: 'MODEL_OUTPUT_INVALID',
      violations: [
        { path: 'artifacts[0].dependsOnLedgerIds[0]', message: 'is not in allowedLineage' },
        { path: 'extra', message: 'is not a key of the contract' },
      ],
    })
  })

  test('takes files and stdin, an input alone, and an answer that is no JSON', async () => {
    const file = join(ENGINES, 'typescript/input.json')
    expect((await runInProcess(['boundary', 'check', '--input', file], {})).stdout).toBe(
      'The input is valid.\n',
    )
    const broken = await runInProcess(
      ['boundary', 'check', '--input', file, '--output', '-', '--json'],
      {},
      'no JSON',
    )
    expect([broken.exit, JSON.parse(broken.stdout).code]).toEqual([1, 'MODEL_OUTPUT_INVALID'])
    for (const [answer, message] of [
      ['', 'is not valid JSON'],
      ['{"ok":true}\n{"ok":true}', 'is not valid JSON'],
      ['{"ok":true,"ok":true}', 'names a key twice'],
      [`${'['.repeat(65)}${']'.repeat(65)}`, 'is nested too deeply'],
      [JSON.stringify('x'.repeat(1_048_576)), 'is larger than 1048576 bytes'],
    ] as const) {
      const { stdout } = await runInProcess(
        ['boundary', 'check', '--input', file, '--output', '-'],
        {},
        answer,
      )
      expect(stdout.replace(/ \(line \d+, column \d+\)/, '')).toBe(`the document: ${message}\n`)
    }
    const twice = await runInProcess(['boundary', 'check', '--input', '-', '--output', '-'], {}, '{}')
    expect(twice.exit).toBe(2)
    const none = await runInProcess(['boundary', 'check', '--input', '/no/such/file'], {})
    expect(none.exit).toBe(2)
  })

  test('prints the schemas', async () => {
    const { stdout } = await runInProcess(['boundary', 'schema', 'output'], {})
    expect(JSON.parse(stdout)).toEqual(agentOutputSchema)
    expect((await runInProcess(['boundary', 'schema', 'sideways'], {})).exit).toBe(2)
  })
})
