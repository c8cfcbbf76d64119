import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { sampleBundle } from '../bundle/sample-bundle.fixture.ts'
import { projectionEnvelope } from './projection-envelope.ts'
import { renderProjection } from './render-projection.ts'

function envelopeAt(generated_at: string, latest_version = '1.2.0') {
  const projection = renderProjection({
    ...sampleBundle(1, { instruction: 'Ωß漢😀' }),
    harness: 'cli_runbook',
  })
  return projectionEnvelope({ vault_id: 'default', projection, latest_version, generated_at })
}

test('has exactly the keys of the contract', () => {
  const envelope = envelopeAt('2026-11-02T10:00:00.000Z')
  expect(Object.keys(envelope)).toEqual(['schema', 'vault_id', 'projection', 'staleness', 'generator'])
  expect(Object.keys(envelope.staleness)).toEqual(['stale', 'projection_version', 'latest_version'])
  expect(Object.keys(envelope.generator)).toEqual(['generator_version', 'content_hash', 'generated_at'])
  expect(envelope.schema).toBe('knowtation.flow_project/v0')
  expect(envelope.generator.generator_version).toBe('1')
})

verifies('FLOW-045', 'content_hash is the SHA-256 of rendered and does not depend on the time', () => {
  const early = envelopeAt('2026-11-02T10:00:00.000Z')
  const late = envelopeAt('2027-01-01T00:00:00.000Z')
  const digest = createHash('sha256').update(Buffer.from(early.projection.rendered, 'utf8')).digest('hex')
  expect(early.generator.content_hash).toBe(`sha256:${digest}`)
  expect(late.generator.content_hash).toBe(early.generator.content_hash)
  expect(late.generator.generated_at).not.toBe(early.generator.generated_at)
})

test('says whether a newer visible version exists', () => {
  const at = '2026-11-02T10:00:00.000Z'
  expect(envelopeAt(at).staleness.stale).toBe(false)
  expect(envelopeAt(at, '1.3.0').staleness).toEqual({
    stale: true,
    projection_version: '1.2.0',
    latest_version: '1.3.0',
  })
})
