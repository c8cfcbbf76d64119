import { listTasks } from './check-status.ts'
import type { ReadStatus } from './read-status.ts'
import type { StatusList, StatusTask } from './status-task.ts'

const NEAR_LIMIT = 200

/** A task as it is shown beside another. */
export interface ShownTask {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly marker: string
  readonly file: string
  readonly line: number
}

/** Where a task stands in the plan. */
export interface TaskContext {
  readonly task_id: string
  readonly phase: string | null
  readonly service: string | null
  readonly feature: string | null
  readonly task: string
  readonly section: string | null
  readonly status: string
  readonly marker: string
  readonly file: string
  readonly line: number
  readonly sub_file: string | null
  readonly path: readonly ShownTask[]
  readonly siblings: readonly ShownTask[]
  readonly children: readonly ShownTask[]
  readonly header: Readonly<Record<string, string>>
  readonly integrity: string
}

const FEATURE = /^\**\[([^\]]{1,200})\]\s*:\s*(.+?)\**$/

/** The context of the task with an id: as it is written, or else by its position. */
export function findTaskContext(list: ReadStatus, task_id: string): TaskContext | undefined {
  const id = task_id.trim().replace(/\.$/, '')
  const all = listTasks(list.tasks)
  const task = all.find((one) => one.is_id_written && one.id === id) ?? all.find((one) => one.id === id)
  if (!task) return undefined
  const path = pathTo(list.tasks, task)
  const above = path.at(-2)
  const siblings = (above?.children ?? list.tasks).filter((one) => one !== task && isNear(one, task))
  return {
    task_id: task.id,
    ...levelsOf(path, list.header),
    task: task.name,
    status: task.status,
    marker: task.marker,
    file: shownFile(task.file),
    line: task.line,
    sub_file: task.sub_file ?? null,
    path: path.map(toShown),
    siblings: siblings.slice(0, NEAR_LIMIT).map(toShown),
    children: task.children.slice(0, NEAR_LIMIT).map(toShown),
    header: list.header,
    integrity: list.integrity,
  }
}

function isNear(one: StatusTask, other: StatusTask): boolean {
  return JSON.stringify(one.headings) === JSON.stringify(other.headings)
}

function pathTo(tasks: readonly StatusTask[], wanted: StatusTask): StatusTask[] {
  for (const task of tasks) {
    if (task === wanted) return [task]
    const below = pathTo(task.children, wanted)
    if (below.length > 0) return [task, ...below]
  }
  return []
}

type Levels = Pick<TaskContext, 'phase' | 'service' | 'feature' | 'section'>

/**
 * A heading is the phase and `**[Service]: Feature**` two levels at once, as the phase template has them; what is
 * still open then is filled by the steps of the list, from the top down to the task itself.
 */
function levelsOf(path: readonly StatusTask[], header: StatusList['header']): Levels {
  const headings = path.findLast((task) => task.headings.length > 0)?.headings ?? []
  const named = path.findLast(({ name }) => FEATURE.test(name))
  const [, service, feature] = named ? (FEATURE.exec(named.name) ?? []) : []
  const steps = path
    .slice(0, -1)
    .filter((task) => task !== named)
    .map(({ name }) => name)
  const titled = headings.find((heading) => /^phase\b/i.test(heading))
  const phase = titled ?? steps.shift() ?? headings[0] ?? null
  const section = headings.findLast((heading) => heading !== phase) ?? null
  // A single step between a titled phase and the task is what the task is a part of.
  const rest = titled !== undefined && steps.length === 1 ? [undefined, ...steps] : steps
  return {
    phase,
    service: service ?? (named ? null : (rest[0] ?? header['Service'] ?? null)),
    feature: feature ?? rest[1] ?? null,
    section,
  }
}

function toShown({ id, name, status, marker, file, line }: StatusTask): ShownTask {
  return { id, name, status, marker, file: shownFile(file), line }
}

/** How a file of the list is called in answers. */
export function shownFile(file: string): string {
  return `.flow/${file}`
}
