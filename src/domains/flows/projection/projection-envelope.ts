import { createHash } from 'node:crypto'
import type { FlowProjection } from './render-projection.ts'
import { PROJECTION_GENERATOR_VERSION } from './rendering.ts'
import type { Staleness } from './staleness.ts'
import { stalenessOf } from './staleness.ts'

/** Schema name of the answer to a projection request. */
export const FLOW_PROJECT_SCHEMA = 'knowtation.flow_project/v0'

/** A projection with what its reader needs to judge it. */
export type ProjectionEnvelope = {
  schema: typeof FLOW_PROJECT_SCHEMA
  vault_id: string
  projection: FlowProjection
  staleness: Staleness
  generator: { generator_version: string; content_hash: string; generated_at: string }
}

/** What an envelope is made of; the latest version is the latest one the caller may see. */
export type EnvelopeParts = {
  vault_id: string
  projection: FlowProjection
  latest_version: string
  generated_at: string
}

/** Puts a projection into its envelope. */
export function projectionEnvelope(parts: EnvelopeParts): ProjectionEnvelope {
  const { vault_id, projection, latest_version, generated_at } = parts
  return {
    schema: FLOW_PROJECT_SCHEMA,
    vault_id,
    projection,
    staleness: stalenessOf(projection.flow_version, latest_version),
    generator: {
      generator_version: PROJECTION_GENERATOR_VERSION,
      content_hash: contentHash(projection.rendered),
      generated_at,
    },
  }
}

/** The hash of a rendered text: time and vault stay out of it. */
export function contentHash(rendered: string): string {
  return `sha256:${createHash('sha256').update(rendered, 'utf8').digest('hex')}`
}
