import { lstatSync } from 'node:fs'
import { z } from 'zod'
import { hubOwner } from '../../../../operations/authority.ts'
import { defineOperation } from '../../../../operations/define-operation.ts'
import { checkIndexFile } from '../../../../platform/knowledge/index/index-check.ts'
import { indexPlaceOf } from '../../../../platform/knowledge/index/index-place.ts'
import {
  IndexDamaged,
  IndexUnavailable,
} from '../../../../platform/knowledge/stores/embedded/damaged-index.ts'
import { ProjectInput, projectRootOf } from './knowledge-schemas.ts'
import { type IndexState, OutcomeWire, readIndexState } from './knowledge-state.ts'

const States = ['missing', 'building', 'unfinished', 'updating', 'ready', 'damaged', 'unusable'] as const

export const knowledgeStatus = defineOperation({
  name: 'knowledge_status',
  summary: "Tell how a project's knowledge index is, and how far a run over it has come.",
  effect: 'read',
  authority: hubOwner(),
  rest: 'GET /api/v1/knowledge',
  cli: 'knowledge status',
  errors: {},
  input: z.strictObject({ project: ProjectInput }),
  output: z.strictObject({
    schema: z.literal('knowtation.knowledge_status/v0'),
    project: z.string(),
    state: z.enum(States),
    bytes: z.int(),
    files_done: z.int().nullable(),
    files_total: z.int().nullable(),
    seconds_left: z.number().nullable(),
    error: z.string().nullable(),
    last_run: OutcomeWire.nullable(),
  }),
  async handle({ input, hub }) {
    const project = projectRootOf(input.project)
    const state = readIndexState(project, hub.system.now)
    const {
      files_done = null,
      files_total = null,
      seconds_left = null,
      error = null,
      outcome = null,
    } = state.progress ?? {}
    const trouble = findTrouble(state, indexPlaceOf(project).index)
    return {
      schema: 'knowtation.knowledge_status/v0' as const,
      project,
      state: trouble?.state ?? stateOf(state),
      bytes: sizeOf(indexPlaceOf(project).index),
      files_done,
      files_total,
      seconds_left: state.is_running ? seconds_left : null,
      error: trouble?.error ?? error,
      last_run: outcome,
    }
  },
})

function stateOf({ is_complete, is_running, has_index }: IndexState): (typeof States)[number] {
  if (is_running) return is_complete ? 'updating' : 'building'
  if (is_complete) return 'ready'
  return has_index ? 'unfinished' : 'missing'
}

/** What keeps the file from being searched; while a run is at it, it says so itself. */
function findTrouble({ has_index, is_running }: IndexState, index: string) {
  if (!has_index || is_running || sizeOf(index) === 0) return undefined
  try {
    checkIndexFile(index)
    return undefined
  } catch (error) {
    if (error instanceof IndexUnavailable)
      return { state: 'unusable' as const, error: `${error.message}. Look at its rights and those of .flow.` }
    if (!(error instanceof IndexDamaged)) throw error
    const advice = 'Make it anew with knowtation knowledge index --rebuild.'
    return { state: 'damaged' as const, error: `${error.message}. ${advice}` }
  }
}

function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stats.size : 0
}
