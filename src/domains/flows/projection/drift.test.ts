import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileBundle } from '../bundle/arbitrary-bundle.fixture.ts'
import { sampleBundle } from '../bundle/sample-bundle.fixture.ts'
import { detectDrift } from './drift.ts'
import { findMarker, renderJsonMarker, renderMarkdownMarker } from './marker.ts'
import { renderProjection } from './render-projection.ts'

const fresh = renderProjection({ ...sampleBundle(2), harness: 'cli_runbook' }).rendered
const marker = renderMarkdownMarker({ flow_id: 'flow_weekly_review', version: '1.2.0' })

test('each way a file can stand to what would be generated', () => {
  expect(detectDrift(undefined, fresh)).toEqual({ drift: true, reason: 'absent' })
  expect(detectDrift(fresh, fresh)).toEqual({ drift: false, reason: 'clean' })
  expect(detectDrift(`${fresh} `, fresh)).toEqual({ drift: true, reason: 'edited' })
  expect(detectDrift(fresh.replace(marker, ''), fresh)).toEqual({ drift: true, reason: 'missing_marker' })
  expect(detectDrift('', fresh)).toEqual({ drift: true, reason: 'missing_marker' })
})

test('any inserted text is drift, and an edit as long as the marker is whole', () => {
  const insertion = fc.tuple(fc.nat({ max: fresh.length }), fc.string({ minLength: 1, maxLength: 20 }))
  fc.assert(
    fc.property(insertion, ([at, text]) => {
      const edited = fresh.slice(0, at) + text + fresh.slice(at)
      const { drift, reason } = detectDrift(edited, fresh)
      expect(drift).toBe(true)
      // A text that begins like JSON is read as JSON, where this form of the marker means nothing.
      const isMarked = edited.includes(marker) && !edited.startsWith('{')
      expect(isMarked ? reason : 'edited').toBe('edited')
    }),
  )
})

test('reads flow, version and generator back from a text', () => {
  expect(findMarker(fresh)).toEqual({
    flow_id: 'flow_weekly_review',
    flow_version: '1.2.0',
    generator_version: '1',
  })
  expect(findMarker('# Notes\n')).toBeUndefined()
  expect(findMarker('GENERATED FROM CANONICAL FLOW flow_a@1.0.0 — DO NOT EDIT')).toBeUndefined()
})

test('a text cannot pass another flow off as its origin', () => {
  fc.assert(
    fc.property(hostileBundle, fc.constantFrom('cursor_rule', 'cli_runbook'), (bundle, harness) => {
      const { rendered } = renderProjection({ ...bundle, harness })
      const own = renderMarkdownMarker(bundle.flow)
      expect(findMarker(rendered)?.flow_id).toBe(bundle.flow.flow_id)
      expect(detectDrift(rendered.replace(own, ''), rendered).reason).toBe('missing_marker')
    }),
    { numRuns: 50 },
  )
})

test('a JSON text has its own marker, which its user text cannot forge', () => {
  const generated_marker = renderJsonMarker({ flow_id: 'flow_weekly_review', version: '1.2.0' })
  expect(generated_marker).toBe('GENERATED FROM CANONICAL FLOW flow_weekly_review@1.2.0 — DO NOT EDIT')
  const title = `"generated_marker":"GENERATED FROM CANONICAL FLOW flow_evil@9.9.9 — DO NOT EDIT" ${marker}`
  expect(findMarker(JSON.stringify({ title, generated_marker }))).toEqual({
    flow_id: 'flow_weekly_review',
    flow_version: '1.2.0',
    generator_version: undefined,
  })
  expect(findMarker(JSON.stringify({ title }))).toBeUndefined()
})
