import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { GuardScope } from '../../../platform/guard/guard.ts'
import { openGuard } from '../../../platform/guard/open-guard.ts'
import { checkConfigFolder } from '../policy/follow-project-policy.ts'
import type { ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'
import { StatusDamaged } from './task/parse-status.ts'
import { findStatus, type ReadStatus, STATUS_FILE } from './task/read-status.ts'
import { findTaskContext, type ShowFile, TaskContext } from './task/task-context.ts'

const ID_MAX_CHARS = 100

const Input = z.strictObject({
  task_id: z
    .string()
    .min(1)
    .max(ID_MAX_CHARS)
    .describe('As it is written in the list, such as 3.1.1 or TASK-431, or by position'),
})
const Output = z.strictObject({ context: TaskContext })

/** Shows where a task stands in the plan of the project. */
export const getTaskContext: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'get_task_context',
  description: [
    'Shows where a task stands in the plan of the project: its phase, service, feature and the task itself.',
    'The plan is .flow/status.md, or else status.md at the root of the project; each task has status (pending, active, done, skipped), file and line, siblings and',
    'children; what the list does not say is null. An id is the one written before the name (3.1.1, TASK-431), else the',
    'position in the list (1, 1.1, 1.2, 2), under a heading with a number of its own after that; files that the list refers to are read too. An id that is not there fails with ValidationError, a',
    'missing list with FileNotFound, and a list that breaks its own rules, or is not the one that was saved, with',
    'ConfigDamaged, naming file and line: only the owner can mend it.',
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: Input,
  output: Output,
  handle({ context: { project_root }, policy, hub, input }) {
    checkConfigFolder(project_root)
    const closed = { block_patterns: policy.block_patterns, closed_paths: [hub.home.folder] }
    for (const [place, scope] of [
      ['.flow/', NOTHING_CLOSED],
      ['', closed],
    ] as const) {
      const shownFile: ShowFile = (file) => `${place}${file}`
      const list = findList({ service_root: join(project_root, place), ...scope }, shownFile)
      if (!list) continue
      const context = findTaskContext(list, input.task_id, shownFile)
      if (!context) throw unknownTask(input.task_id, list)
      return { context: context }
    }
    throw missingList()
  },
}

/** In `.flow` the owner alone writes; at the root an agent may, and what is closed to it a list must not open. */
const NOTHING_CLOSED = { block_patterns: [], closed_paths: [] }

/** Agents cannot reach `.flow`: a guard of its own opens it for this one file, with the same care for links. */
function findList(
  scope: Pick<GuardScope, 'service_root' | 'block_patterns' | 'closed_paths'>,
  shownFile: ShowFile,
): ReadStatus | undefined {
  if (!existsSync(scope.service_root)) return undefined
  try {
    const folder = openGuard({ ...scope, shared_roots: [], hard_link_stores: [] })
    try {
      return findStatus(folder)
    } finally {
      folder.close()
    }
  } catch (error) {
    if (error instanceof StatusDamaged) throw damagedList(error, shownFile)
    throw error
  }
}

function missingList(): ToolFault {
  return new ToolFault(
    'FileNotFound',
    `The project has no .flow/${STATUS_FILE}.`,
    'Ask the owner of the project for its task list.',
  )
}

function damagedList({ problem, file, line, message }: StatusDamaged, shownFile: ShowFile): ToolFault {
  const place = line === undefined ? shownFile(file) : `${shownFile(file)}:${line}`
  return new ToolFault(
    'ConfigDamaged',
    `${problem}: ${place} ${message}.`,
    `Ask the owner of the project to mend ${shownFile(file)}; agents cannot change it.`,
    {
      details: { problem, file: shownFile(file), ...(line !== undefined && { line }) },
      is_checked: line !== undefined,
    },
  )
}

const SHOWN_IDS = 20

function unknownTask(task_id: string, { tasks }: ReadStatus): ToolFault {
  const ids = tasks.slice(0, SHOWN_IDS).map(({ id }) => id)
  const known = ids.length === 0 ? 'The list has no tasks.' : `At the top of the list are ${ids.join(', ')}.`
  const message = `There is no task ${JSON.stringify(task_id)}.`
  return new ToolFault('ValidationError', message, known, { is_checked: true })
}
