import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { errorTable, Refusal } from '../../../../operations/errors.ts'
import { resolveSeat, SeatInvalid } from '../../../../platform/identity/resolve-seat.ts'
import { OutcomeWire } from './knowledge-state.ts'

const FOLDER_LIMIT_CHARS = 4_096

export const knowledgeErrors = errorTable({
  knowledge_busy: {
    status: 409,
    message: 'Another process has the index of the project in its hands.',
    hint: '`knowtation knowledge status` tells how far it is; try again afterwards.',
  },
  knowledge_refused: { status: 422, message: 'The index cannot be used.' },
  knowledge_failed: { status: 500, message: 'The project could not be indexed.' },
  project_damaged: { status: 409, message: 'The policy of the project is damaged.' },
})

export const ProjectInput = z
  .string()
  .min(1)
  .max(FOLDER_LIMIT_CHARS)
  .describe("The project's folder, the one with .flow")

/** An exported index on the machine of the hub; what its name must be like, `requireBundleName` says in words. */
export const BundlePath = z.string().min(1).max(FOLDER_LIMIT_CHARS)

/** What a run did for a project. */
export const OutcomeAnswer = z.strictObject({
  schema: z.literal('knowtation.knowledge_index/v0'),
  project: z.string(),
  ...OutcomeWire.shape,
})

/** The real folder of a project. */
export function projectRootOf(project: string): string {
  try {
    return resolveSeat({ project, service: '.', agent_id: 'owner' }).project_root
  } catch (error) {
    if (error instanceof SeatInvalid)
      throw new Refusal('BAD_REQUEST', 'project must be the whole path of a folder that is there.')
    throw error
  }
}

/** Other files of the machine are neither read nor written. */
export function requireBundleName(key: 'from' | 'out', path: string): void {
  if (!isAbsolute(path) || !path.endsWith('.rag') || path.includes('\0'))
    throw new Refusal('BAD_REQUEST', `${key} must be the whole path of a file whose name ends with .rag.`)
}
