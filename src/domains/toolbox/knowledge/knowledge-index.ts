import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../../operations/define-operation.ts'
import { carryOutOrder } from './knowledge-carry-out.ts'
import { outcomeOf } from './knowledge-outcome.ts'
import { knowledgeErrors, OutcomeAnswer, ProjectInput, projectRootOf } from './knowledge-schemas.ts'

export const knowledgeIndex = defineOperation({
  name: 'knowledge_index',
  summary: "Bring a project's knowledge index up to date, and tell what was embedded.",
  effect: 'update',
  idempotent: true,
  authority: hubOwner(),
  rest: 'POST /api/v1/knowledge/index',
  cli: 'knowledge index',
  errors: knowledgeErrors.pick('knowledge_busy', 'knowledge_failed', 'project_damaged'),
  outward: true,
  input: z.strictObject({
    project: ProjectInput,
    rebuild: z.boolean().default(false).describe('Begin with an empty index'),
  }),
  output: OutcomeAnswer,
  async handle({ input: { project, rebuild }, hub }) {
    const project_root = projectRootOf(project)
    return new ActOutside(async (signal) =>
      outcomeOf(project_root, await carryOutOrder(hub, project_root, { rebuild }, signal)),
    )
  },
})
