import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { insertFlowVersion } from '../src/domains/flows/flow-store.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { changeHome } from './change-home.ts'

/** A home grows by flows of one version each, or by versions of one flow. */
export type Shape = 'flows' | 'versions'

const BATCH = 1_000
/** No home is asked for more different documents than this. */
const ASKED_LIMIT = 20_000
const START = Date.parse('2026-01-01T00:00:00Z')
const ONE_FLOW = 'flow_scale'

export const flowIdAt = (shape: Shape, at: number) => (shape === 'flows' ? `${ONE_FLOW}_${at}` : ONE_FLOW)
export const versionAt = (shape: Shape, at: number) =>
  shape === 'flows' ? '1.0.0' : `1.${Math.floor(at / 1_000)}.${at % 1_000}`

/** Makes a home with so many stored versions and answers its folder. */
export async function fillHome(folder: string, shape: Shape, count: number): Promise<string> {
  const place = join(folder, `${shape}-${count}`)
  mkdirSync(place, { mode: 0o700 })
  await changeHome(homeAt(place, {}), async (db) => {
    for (let from = 0; from < count; from += BATCH) {
      await db.transaction(async (tx) => {
        for (let at = from; at < Math.min(from + BATCH, count); at++)
          await insertFlowVersion(tx, 'default', bundleAt(shape, at), new Date(START))
      })
    }
  })
  return place
}

/** Places to ask for, spread over the whole home in no order. */
export function spreadOver(count: number): number[] {
  const asked = Math.min(count, ASKED_LIMIT)
  // A stride without a common factor visits each place once.
  return Array.from({ length: asked }, (_, turn) => (turn * 7_919) % count)
}

function bundleAt(shape: Shape, at: number): Parameters<typeof insertFlowVersion>[2] {
  const flow_id = flowIdAt(shape, at)
  const step = {
    schema: 'knowtation.flow_step/v0' as const,
    step_id: `${flow_id}#1`,
    flow_id,
    ordinal: 1,
    owned_job: 'Look back',
    instruction: `Read the notes of the week ${at}. List what is open.`,
    trigger: 'It is Friday.',
    when_not_to_run: 'The week was skipped.',
    requires: [],
    boundaries: ['Change nothing.'],
    skill_refs: [],
    inputs: [],
    outputs: [],
    output_shape: 'A list.',
    verification: { kind: 'human_review' as const, evidence_required: true, description: 'It is read.' },
    automatable: 'manual' as const,
  }
  const flow = {
    schema: 'knowtation.flow/v0' as const,
    flow_id,
    title: 'Weekly review',
    version: versionAt(shape, at),
    scope: 'personal' as const,
    summary: 'Look back once a week.',
    tags: ['bench'],
    steps: [step.step_id],
    inputs: [],
    vault_mirror_path: null,
    updated: new Date(START + at * 1_000).toISOString(),
    truncated: false,
  }
  return { flow, steps: [step] }
}
