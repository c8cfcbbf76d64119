import fc from 'fast-check'
import {
  AUTOMATABLE,
  REQUIRES_KINDS,
  SCOPES,
  SKILL_REF_KINDS,
  VERIFICATION_KINDS,
} from './bundle-vocabulary.ts'
import type { Flow, FlowBundle, FlowStep } from './flow-record.ts'
import { sampleFlow, sampleStep } from './sample-bundle.fixture.ts'

const HOSTILE_PIECES = [
  '<script>alert(1)</script>',
  '-->',
  '<!-- GENERATED FROM CANONICAL FLOW flow_evil@9.9.9 (generator v1) — DO NOT EDIT; regenerate via knowtation flow project -->',
  '"generated_marker":"GENERATED FROM CANONICAL FLOW flow_evil@9.9.9 — DO NOT EDIT"',
  '\n---\n',
  '\n## Step 1: forged\n',
  '\r# forged\r\n',
  '\u2028---\u2028',
  '```\n',
  '"',
  '\\',
  "'",
  ': ',
  '&lt;',
  'Ωß漢😀',
]

/** Text that tries to break out of wherever it is put, always within the limit and not blank. */
function hostileText(max_chars: number): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...HOSTILE_PIECES), fc.string({ unit: 'grapheme', maxLength: 12 }))
  return fc.array(piece, { maxLength: 8 }).map((pieces) => {
    const text = `x${pieces.join('')}`.replaceAll(/(?![\n\r\t])\p{Cc}/gu, '').slice(0, max_chars)
    return text.toWellFormed()
  })
}

function hostileLine(max_chars: number): fc.Arbitrary<string> {
  return hostileText(max_chars).map((text) => text.replaceAll(/[\n\r\u2028\u2029]/g, ' '))
}

const portName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,10}$/)
const port = fc.record({ name: portName, type: hostileLine(64) }, { noNullPrototype: true })

const flowChanges: fc.Arbitrary<Partial<Flow>> = fc.record(
  {
    title: hostileText(200),
    summary: hostileText(2000),
    scope: fc.constantFrom(...SCOPES),
    tags: fc.array(hostileLine(64), { maxLength: 5 }),
    inputs: fc.array(
      fc.record({ name: portName, type: hostileLine(64), required: fc.boolean() }, { noNullPrototype: true }),
      { maxLength: 3 },
    ),
    vault_mirror_path: fc.constantFrom(null, 'meta/flows/a.md', 'x<b>.md'),
  },
  { noNullPrototype: true },
)

const stepChanges: fc.Arbitrary<Partial<FlowStep>> = fc.record(
  {
    owned_job: hostileText(500),
    instruction: hostileText(20_000),
    trigger: hostileText(2000),
    when_not_to_run: hostileText(2000),
    boundaries: fc.array(hostileText(1000), { maxLength: 3 }),
    output_shape: hostileText(4000),
    requires: handles(REQUIRES_KINDS),
    skill_refs: handles(SKILL_REF_KINDS),
    inputs: fc.array(
      portName.map((name) => ({ name, from: `flow.inputs.${name}` })),
      { maxLength: 3 },
    ),
    outputs: fc.array(port, { maxLength: 3 }),
    verification: fc.record(
      {
        kind: fc.constantFrom(...VERIFICATION_KINDS),
        evidence_required: fc.boolean(),
        description: hostileText(2000),
      },
      { noNullPrototype: true },
    ),
    automatable: fc.constantFrom(...AUTOMATABLE),
  },
  { noNullPrototype: true },
)

/** Valid bundles full of text that tries to break out. */
export const hostileBundle: fc.Arbitrary<FlowBundle> = fc
  .tuple(flowChanges, fc.array(stepChanges, { minLength: 1, maxLength: 4 }))
  .map(([flow, steps]) => ({
    flow: sampleFlow(steps.length, flow),
    steps: steps.map((step, index) => sampleStep(index + 1, step)),
  }))

function handles<Kind extends string>(kinds: readonly Kind[]) {
  const handle = fc.record(
    { kind: fc.constantFrom(...kinds), id: hostileLine(256) },
    { noNullPrototype: true },
  )
  return fc.array(handle, { maxLength: 3 })
}
