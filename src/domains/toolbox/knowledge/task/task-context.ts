import { z } from 'zod'
import type { StatusList, StatusTask } from './parse-status.ts'
import { listTasks, type ReadStatus } from './read-status.ts'

const NEAR_LIMIT = 200

/** A task as it is shown beside another. */
const Task = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  marker: z.string(),
  file: z.string(),
  line: z.int(),
})
/** What the list does not say is null. */
const Level = z.string().nullable()

/** Where a task stands in the plan. */
export const TaskContext = z.strictObject({
  task_id: z.string(),
  phase: Level,
  service: Level,
  feature: Level,
  task: z.string(),
  section: Level,
  status: z.string().describe('pending, active, done or skipped'),
  marker: z.string(),
  file: z.string(),
  line: z.int(),
  sub_file: Level,
  path: z.array(Task).describe('From the top down to the task itself'),
  siblings: z.array(Task),
  children: z.array(Task),
  header: z.record(z.string(), z.string()),
  integrity: z.string().describe('verified by status.meta, or unchecked where there is none'),
})
export type TaskContext = z.infer<typeof TaskContext>

/** How a file of the list is called in answers. */
export type ShowFile = (file: string) => string

const FEATURE = /^\**\[([^\]]{1,200})\]\s*:\s*(.+?)\**$/

/** The context of the task with an id: as it is written, or else by its position. */
export function findTaskContext(
  list: ReadStatus,
  task_id: string,
  shownFile: ShowFile,
): TaskContext | undefined {
  const id = task_id.trim().replace(/\.$/, '')
  const all = listTasks(list.tasks)
  const upper = id.toUpperCase()
  const task =
    all.find((one) => one.is_id_written && one.id === id) ??
    all.find((one) => one.id === id) ??
    all.find((one) => one.is_id_written && one.id === upper)
  if (!task) return undefined
  const path = pathTo(list.tasks, task)
  const above = path.at(-2)
  const show = (shown: StatusTask) => toShown(shown, shownFile)
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
    path: path.map(show),
    siblings: siblings.slice(0, NEAR_LIMIT).map(show),
    children: task.children.slice(0, NEAR_LIMIT).map(show),
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
 * still open then is filled by the steps of the list, from the top down to the task itself, and then by headings
 * below the phase: by those that say what they are, or by two where the list has no steps.
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
  const below = headingLevels(headings, phase, steps.length === 0 && !named)
  return {
    phase,
    service: service ?? (named ? null : (rest[0] ?? below.service ?? header['Service'] ?? null)),
    feature: feature ?? rest[1] ?? below.feature ?? null,
    section,
  }
}

/** Service and feature as headings have them: `## Service: Shop`, or the second and third of three. */
function headingLevels(headings: readonly string[], phase: string | null, is_flat: boolean) {
  const lower = headings.slice(headings.indexOf(phase ?? '') + 1)
  const labelled = (label: RegExp) => lower.find((heading) => label.test(heading))?.replace(label, '')
  const [service, feature] = is_flat && lower.length >= 2 ? lower : []
  return {
    service: labelled(/^service\s*:\s*(?=\S)/i) ?? service,
    feature: labelled(/^feature\s*:\s*(?=\S)/i) ?? feature,
  }
}

function toShown(
  { id, name, status, marker, file, line }: StatusTask,
  shownFile: ShowFile,
): z.infer<typeof Task> {
  return { id, name, status, marker, file: shownFile(file), line }
}
