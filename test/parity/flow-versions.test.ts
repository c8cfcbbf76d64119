import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileBundle } from '../../src/domains/flows/bundle/arbitrary-bundle.fixture.ts'
import { sampleBundle } from '../../src/domains/flows/bundle/sample-bundle.fixture.ts'
import { FORMATS, isKept, readFlow, writeFlow } from '../../src/domains/flows/versions/flow-text.ts'
import { describeParity } from './parity-case.ts'
import { SAMPLE_FLOWS } from './sample-flows.ts'

const TWO = SAMPLE_FLOWS[0]
if (!TWO) throw new Error('There is a first sample.')

describeParity('the versions of a flow', [
  {
    name: 'versions are listed with the state that an edit builds on',
    operation: 'flow_version_list',
    input: { flow_id: 'flow_two' },
    as: 'viewer',
    status: 200,
    check: ({ versions, truncated }) => {
      expect(versions.map(({ version }: { version: string }) => version)).toEqual(['1.1.0', '1.0.0'])
      expect(versions[1]).toMatchObject({ scope: TWO.flow.scope, created_at: expect.any(String) })
      expect(versions[1].state_id).toMatch(/^flowst1_/)
      expect(truncated).toBe(false)
    },
  },
  {
    name: 'the tools that flows name are told flow by flow',
    operation: 'flow_tool_list',
    as: 'viewer',
    status: 200,
    check: ({ flows, truncated }) => {
      const named = flows.find(({ flow_id }: { flow_id: string }) => flow_id === 'flow_two')
      expect(named).toEqual({ flow_id: 'flow_two', version: '1.1.0', tools: ['web_search'] })
      expect(truncated).toBe(false)
    },
  },
  {
    name: 'a flow that is not there has no versions',
    operation: 'flow_version_list',
    input: { flow_id: 'flow_nope' },
    as: 'admin',
    status: 404,
    code: 'unknown_flow',
  },
  {
    name: 'a version does not differ from itself',
    operation: 'flow_compare',
    input: { flow_id: 'flow_two', base: TWO.flow.version, version: TWO.flow.version },
    as: 'viewer',
    status: 200,
    check: ({ diff, power }) => expect([diff.changes, power]).toEqual([[], []]),
  },
  {
    name: 'a draft is compared with what is there, words and power',
    operation: 'flow_compare',
    input: {
      flow_id: 'flow_two',
      bundle: { ...TWO, steps: TWO.steps.map((step) => ({ ...step, boundaries: [], instruction: 'Go.' })) },
    },
    as: 'editor',
    status: 200,
    check: ({ diff, power, steps }) => {
      expect(diff.changes.map(({ path }: { path: string }) => path)).toContain(
        'steps[flow_two#1].instruction',
      )
      expect(steps[0].instruction).toBe('Go.')
      expect(power.every(({ kind }: { kind: string }) => kind === 'boundary_gone')).toBe(true)
    },
  },
  {
    name: 'a draft and a version at once are not compared',
    operation: 'flow_compare',
    input: { flow_id: 'flow_two', version: TWO.flow.version, bundle: {} },
    as: 'admin',
    status: 400,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a draft that is no flow is named as such',
    operation: 'flow_compare',
    input: { flow_id: 'flow_two', bundle: { flow: {} } },
    as: 'admin',
    status: 400,
    code: 'FLOW_DRAFT_INVALID',
  },
  ...FORMATS.map((format) => ({
    name: `a flow is written as ${format}, and read back as it was`,
    operation: 'flow_text',
    input: { flow_id: 'flow_two', version: TWO.flow.version, format },
    as: 'viewer' as const,
    status: 200,
    check: ({ text }: { text: string }) => expect(readFlow(text)).toMatchObject({ bundle: TWO }),
  })),
  {
    name: 'a text that is a flow becomes its bundle',
    operation: 'flow_read',
    input: { text: writeFlow(sampleBundle(2), 'yaml') },
    as: 'viewer',
    status: 200,
    check: (body) => expect(body).toEqual(sampleBundle(2)),
  },
  {
    name: 'a text that cannot be read says where',
    operation: 'flow_read',
    input: { text: 'flow:\n  a: [1\n' },
    as: 'viewer',
    status: 400,
    code: 'FLOW_DRAFT_INVALID',
    check: ({ error }) => expect(error).toMatch(/^line \d+, column \d+ /),
  },
  {
    name: 'a text that would grow without end is not read',
    operation: 'flow_read',
    input: { text: 'a: &a [x, x]\nflow: [*a, *a]\n' },
    as: 'viewer',
    status: 400,
    code: 'FLOW_DRAFT_INVALID',
  },
])

test('YAML and JSON keep every flow; Markdown keeps it, or is known not to', () => {
  let kept = 0
  fc.assert(
    fc.property(hostileBundle, (bundle) => {
      expect(isKept(bundle, writeFlow(bundle, 'yaml'))).toBe(true)
      expect(isKept(bundle, writeFlow(bundle, 'json'))).toBe(true)
      if (isKept(bundle, writeFlow(bundle, 'markdown'))) kept++
    }),
    { numRuns: 100 },
  )
  expect(kept).toBeGreaterThan(0)
})

test('a text with headings, marks and lists of its own stays text', () => {
  const odd = sampleBundle(2, {
    instruction: '# not a title\n\n## 9. no step\n### When\n\\# marked\n- an item',
    boundaries: ['# one', 'two\nlines\n\n  deep', '- three'],
  })
  expect(isKept(odd, writeFlow(odd, 'markdown'))).toBe(true)
})
