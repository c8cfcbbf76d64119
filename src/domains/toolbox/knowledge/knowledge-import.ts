import { existsSync } from 'node:fs'
import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../../operations/define-operation.ts'
import { carryOutOrder } from './knowledge-carry-out.ts'
import { outcomeOf } from './knowledge-outcome.ts'
import {
  BundlePath,
  knowledgeErrors,
  OutcomeAnswer,
  ProjectInput,
  projectRootOf,
  requireBundleName,
} from './knowledge-schemas.ts'

export const knowledgeImport = defineOperation({
  name: 'knowledge_import',
  summary: 'Take an exported index in for a project, and index only what differs from it.',
  effect: 'update',
  idempotent: true,
  authority: hubOwner(),
  rest: 'POST /api/v1/knowledge/import',
  cli: 'knowledge import <from>',
  errors: knowledgeErrors.pick('knowledge_busy', 'knowledge_refused', 'knowledge_failed', 'project_damaged'),
  outward: true,
  input: z.strictObject({ project: ProjectInput, from: BundlePath.describe('The exported index, *.rag') }),
  output: OutcomeAnswer,
  async handle({ input: { project, from }, hub, refuse }) {
    const project_root = projectRootOf(project)
    if (!existsSync(from)) return refuse('knowledge_refused', 'There is no such file.')
    requireBundleName('from', from)
    return new ActOutside(async (signal) =>
      outcomeOf(project_root, await carryOutOrder(hub, project_root, { import_from: from }, signal)),
    )
  },
})
