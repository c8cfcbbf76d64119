import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { hubOwner } from '../../../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../../../operations/define-operation.ts'
import { Refusal } from '../../../../operations/errors.ts'
import type { Hub } from '../../../../operations/hub.ts'
import type { IndexJob } from '../../../../platform/knowledge/index/index-job.ts'
import type { ProjectPolicy } from '../../policy/project-policy.ts'
import { ToolFault } from '../../tool-fault.ts'
import { workshopOf } from '../../workshop.ts'
import { type IndexerAnswer, type IndexerOrder, indexJobOf } from './knowledge-order.ts'
import {
  BundlePath,
  knowledgeErrors,
  OutcomeAnswer,
  ProjectInput,
  projectRootOf,
  requireBundleName,
} from './knowledge-schemas.ts'
import { runIndexer } from './knowledge-start.ts'

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

/** A run that another process has begun is waited for. */
const WAIT_MS = 600_000

/** Lets the indexer do one thing for the owner and waits for it; whatever goes wrong is a refusal. */
async function carryOutOrder(
  hub: Hub,
  project_root: string,
  { rebuild, ...more }: Omit<IndexerOrder, 'job' | 'wait_ms'> & Pick<IndexJob, 'rebuild'>,
  signal: AbortSignal,
): Promise<Extract<IndexerAnswer, { kind: 'done' | 'exported' }>> {
  const job = indexJobOf(hub, project_root, requirePolicy(hub, project_root), rebuild ? { rebuild } : {})
  const answer = await runIndexer({ job, wait_ms: WAIT_MS, ...more }, signal)
  if (answer.kind === 'busy') throw new Refusal('knowledge_busy')
  if (answer.kind === 'refused') throw new Refusal('knowledge_refused', answer.reason)
  if (answer.kind === 'failed') throw new Refusal('knowledge_failed', answer.reason)
  return answer
}

function requirePolicy(hub: Hub, project_root: string): ProjectPolicy {
  try {
    return workshopOf(hub).policyOf(project_root)
  } catch (error) {
    if (error instanceof ToolFault) throw new Refusal('project_damaged', error.message)
    throw error
  }
}

/** A finished run as the answer of an operation. */
export function outcomeOf(project: string, answer: IndexerAnswer): z.output<typeof OutcomeAnswer> {
  if (answer.kind !== 'done') throw new Error(`the indexer answered ${answer.kind} to a run`)
  const { warnings, skipped, ...outcome } = answer.outcome
  const schema = 'knowtation.knowledge_index/v0' as const
  return { schema, project, ...outcome, skipped: { ...skipped }, warnings: [...warnings] }
}
