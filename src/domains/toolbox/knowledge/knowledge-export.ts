import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../../operations/define-operation.ts'
import { carryOutOrder } from './knowledge-carry-out.ts'
import {
  BundlePath,
  knowledgeErrors,
  ProjectInput,
  projectRootOf,
  requireBundleName,
} from './knowledge-schemas.ts'

export const knowledgeExport = defineOperation({
  name: 'knowledge_export',
  summary: "Write a project's finished index to one new file, to be shipped and imported elsewhere.",
  effect: 'create',
  authority: hubOwner(),
  rest: 'POST /api/v1/knowledge/export',
  cli: 'knowledge export <out>',
  errors: knowledgeErrors.pick('knowledge_busy', 'knowledge_refused', 'knowledge_failed', 'project_damaged'),
  outward: true,
  input: z.strictObject({
    project: ProjectInput,
    out: BundlePath.describe('The new file, *.rag; nothing is replaced'),
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.knowledge_export/v0'),
    project: z.string(),
    out: z.string(),
    files: z.int(),
    bytes: z.int(),
  }),
  async handle({ input: { project, out }, hub, refuse }) {
    const project_root = projectRootOf(project)
    requireBundleName('out', out)
    if (existsSync(out) || !existsSync(dirname(out)))
      return refuse('BAD_REQUEST', 'out must name a new file in a folder that is there.')
    return new ActOutside(async (signal) => {
      const answer = await carryOutOrder(hub, project_root, { export_to: out }, signal)
      if (answer.kind !== 'exported') throw new Error(`the indexer answered ${answer.kind} to an export`)
      const { files, bytes } = answer
      return { schema: 'knowtation.knowledge_export/v0' as const, project: project_root, out, files, bytes }
    })
  },
})
