import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { hostileBundle } from '../bundle/arbitrary-bundle.fixture.ts'
import { HARNESSES, RESERVED_HARNESSES } from '../bundle/bundle-vocabulary.ts'
import { sampleBundle, sampleFlow, sampleStep } from '../bundle/sample-bundle.fixture.ts'
import { findMarker } from './marker.ts'
import { contentHash } from './projection-envelope.ts'
import { isProjectable, renderProjection } from './render-projection.ts'

const BOTH = ['cursor_rule', 'cli_runbook'] as const
const MARKER =
  '<!-- GENERATED FROM CANONICAL FLOW flow_weekly_review@1.2.0 (generator v1) — DO NOT EDIT; ' +
  'regenerate via knowtation flow project -->'

test('the active harnesses and the bundle for agents have a renderer', () => {
  expect(HARNESSES.filter(isProjectable)).toEqual([...BOTH, 'agent_bundle'])
  expect(HARNESSES.filter((harness) => !isProjectable(harness))).toEqual(RESERVED_HARNESSES)
})

test.each(BOTH)('the %s projection has exactly the keys of the contract', (harness) => {
  const projection = renderProjection({ ...sampleBundle(), harness })
  expect(Object.keys(projection).join(' ')).toBe(
    'schema flow_id flow_version harness rendered generated_from_canonical editable fidelity',
  )
  expect(Object.keys(projection.fidelity)).toEqual(['dropped_fields', 'notes'])
  expect(projection).toMatchObject({
    schema: 'knowtation.flow_projection/v0',
    flow_id: 'flow_weekly_review',
    flow_version: '1.2.0',
    harness,
    generated_from_canonical: true,
    editable: false,
  })
})

verifies('FLOW-047', 'rendering 100 times in each of two processes gives one hash', () => {
  const bundle = { ...sampleBundle(5) }
  for (const harness of BOTH) {
    const hashes = renderHashes(bundle, harness)
    const elsewhere = renderHashesInOtherProcess(bundle, harness)
    expect([...new Set([...hashes, ...elsewhere])]).toHaveLength(1)
    expect(hashes.length + elsewhere.length).toBe(200)
  }
})

test('rendering depends neither on the order steps come in nor on keys or defaults', () => {
  const { flow, steps } = sampleBundle(12)
  for (const harness of BOTH) {
    const expected = renderProjection({ flow, steps, harness }).rendered
    expect(renderProjection({ flow, steps: steps.toReversed(), harness }).rendered).toBe(expected)
    expect(renderProjection({ flow, steps, harness, allowed_tools: ['web_search'] }).rendered).toBe(expected)
  }
})

verifies('FLOW-048', 'the exact marker stands before the first step heading, once', () => {
  for (const harness of BOTH) {
    const { rendered } = renderProjection({ ...sampleBundle(2), harness })
    expect(rendered.split(MARKER)).toHaveLength(2)
    expect(rendered.indexOf(MARKER)).toBeLessThan(rendered.indexOf('## Step 1: '))
    expect(rendered.indexOf('## Step 1: ')).toBeLessThan(rendered.indexOf('## Step 2: '))
  }
})

verifies(
  'FLOW-049',
  'cursor_rule opens with MDC front matter and lists what it drops; cli_runbook drops nothing',
  () => {
    const rule = renderProjection({ ...sampleBundle(), harness: 'cursor_rule' })
    expect(rule.rendered).toMatch(/^---\ndescription: .*\nglobs: .*\nalwaysApply: false\n---\n/)
    expect(rule.fidelity).toEqual({
      dropped_fields: ['when_not_to_run', 'requires', 'inputs', 'outputs'],
      notes: 'cursor_rule has no anti-trigger slot',
    })
    const bare = sampleBundle(1, { requires: [], inputs: [], outputs: [] })
    const bareRule = renderProjection({ ...bare, harness: 'cursor_rule' })
    expect(bareRule.fidelity.dropped_fields).toEqual(['when_not_to_run'])
    // One step that says it is enough.
    for (const field of ['requires', 'inputs', 'outputs'] as const) {
      const { flow, steps } = sampleBundle(2, { requires: [], inputs: [], outputs: [] })
      const said = steps.map((step) =>
        step.ordinal === 2 ? { ...step, [field]: sampleStep()[field] } : step,
      )
      const { fidelity } = renderProjection({ flow, steps: said, harness: 'cursor_rule' })
      expect(fidelity.dropped_fields).toEqual(['when_not_to_run', field])
    }
    const runbook = renderProjection({ ...sampleBundle(), harness: 'cli_runbook' })
    expect(runbook.fidelity).toEqual({ dropped_fields: [], notes: null })
  },
)

test('each harness expresses every field that it does not report as dropped', () => {
  const texts = {
    owned_job: 'q-owned-job',
    instruction: 'q-instruction',
    trigger: 'q-trigger',
    when_not_to_run: 'q-anti-trigger',
    requires: [{ kind: 'tool' as const, id: 'q-requires' }],
    boundaries: ['q-boundary-1', 'q-boundary-2'],
    skill_refs: [{ kind: 'cli' as const, id: 'q-skill' }],
    inputs: [{ name: 'q-input', from: 'flow.inputs.week' }],
    outputs: [{ name: 'q-result', type: 'q-kind' }],
    output_shape: 'q-output-shape',
    verification: { kind: 'agent_check' as const, evidence_required: false, description: 'q-verify' },
    automatable: 'agent_assisted' as const,
  }
  const bundle = sampleBundle(1, texts)
  const words = JSON.stringify(texts).match(/q-[a-z0-9-]+|agent_check|agent_assisted|cli\b/g) ?? []
  const runbook = renderProjection({ ...bundle, harness: 'cli_runbook' }).rendered
  for (const word of words) expect(runbook).toContain(word)
  const dropped = /q-anti-trigger|q-requires|q-input|q-result|q-kind/
  const rule = renderProjection({ ...bundle, harness: 'cursor_rule' }).rendered
  for (const word of words) expect([word, rule.includes(word)]).toEqual([word, !dropped.test(word)])
  expect(rule).toContain('cli:q-skill')
})

verifies('FLOW-050', 'no user text brings a raw angle bracket into the Markdown harnesses', () => {
  const forged = '--> <script>alert(1)</script> <!-- x'
  const steps = [
    sampleStep(1, {
      owned_job: forged,
      instruction: forged,
      trigger: forged,
      when_not_to_run: forged,
      requires: [{ kind: 'file', id: forged }],
      boundaries: [forged],
      skill_refs: [{ kind: 'cli', id: forged }],
      outputs: [{ name: 'a', type: forged }],
      output_shape: forged,
      verification: { kind: 'human_review', evidence_required: true, description: forged },
    }),
  ]
  const inputs = [{ name: 'a', type: forged, required: true }]
  const flow = sampleFlow(1, {
    title: forged,
    summary: forged,
    tags: [forged],
    inputs,
    vault_mirror_path: forged,
  })
  for (const harness of BOTH) {
    const { rendered } = renderProjection({ flow, steps, harness })
    expect(rendered.replace(MARKER, '')).not.toMatch(/[<>]/)
    expect(rendered).toContain('--&gt; &lt;script&gt;')
  }
})

test('hostile text forges neither marker nor heading nor front matter', () => {
  fc.assert(
    fc.property(hostileBundle, fc.constantFrom(...BOTH), (bundle, harness) => {
      const { rendered } = renderProjection({ ...bundle, harness })
      expect(rendered.replace(MARKER, '')).not.toMatch(/[<>]/)
      expect(findMarker(rendered)).toMatchObject({ flow_id: 'flow_weekly_review', flow_version: '1.2.0' })
      const lines = rendered.split(/\r\n|[\n\r\u2028\u2029]/)
      expect(lines.filter((line) => line.startsWith('#'))).toHaveLength(1 + bundle.steps.length)
      expect(lines.filter((line) => line === '---')).toHaveLength(harness === 'cursor_rule' ? 2 : 0)
      expect(renderProjection({ ...bundle, harness }).rendered).toBe(rendered)
    }),
    { numRuns: 200 },
  )
})

test('the front matter of any flow is YAML with exactly three keys and the escaped texts', () => {
  fc.assert(
    fc.property(hostileBundle, (bundle) => {
      const { rendered } = renderProjection({ ...bundle, harness: 'cursor_rule' })
      const [, frontMatter = ''] = /^---\n([\s\S]*?)\n---\n/.exec(rendered) ?? []
      expect(parse(frontMatter)).toEqual({
        description: escaped(bundle.flow.summary),
        globs: bundle.flow.tags.map(escaped),
        alwaysApply: false,
      })
    }),
  )
})

function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

type Input = Omit<Parameters<typeof renderProjection>[0], 'harness'>

function renderHashes(bundle: Input, harness: (typeof BOTH)[number]): string[] {
  return Array.from({ length: 100 }, () => contentHash(renderProjection({ ...bundle, harness }).rendered))
}

function renderHashesInOtherProcess(bundle: Input, harness: (typeof BOTH)[number]): string[] {
  const script = `
    const [bundle, harness] = JSON.parse(process.argv[1])
    const { renderProjection } = await import(${JSON.stringify(new URL('render-projection.ts', import.meta.url))})
    const { contentHash } = await import(${JSON.stringify(new URL('projection-envelope.ts', import.meta.url))})
    const render = () => contentHash(renderProjection({ ...bundle, harness }).rendered)
    console.log(JSON.stringify(Array.from({ length: 100 }, render)))`
  const flags = ['--no-warnings', '--input-type=module', '--eval', script, JSON.stringify([bundle, harness])]
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as string[]
}
