import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { z } from 'zod'
import { FileFault, type Guard, GuardDenied } from '../../../../platform/guard/guard.ts'
import { findTextBytes } from '../../search/search-part.ts'
import {
  DEPTH_LIMIT,
  FILES_LIMIT,
  parseStatus,
  STATUS_MAX_BYTES,
  StatusDamaged,
  type StatusList,
  type StatusTask,
  TASKS_LIMIT,
} from './parse-status.ts'

export const STATUS_FILE = 'status.md'
const META_FILE = 'status.meta'
const META_MAX_BYTES = 64 * 1024
const Meta = z.object({ hash: z.string().regex(/^(?:sha256:)?[0-9a-fA-F]{64}$/) })

/** A task list with its sub-files, and whether it is the one that was last saved. */
export interface ReadStatus extends StatusList {
  readonly integrity: 'verified' | 'unchecked'
}

interface Loading {
  readonly folder: Guard
  files: number
  tasks: number
}

/** Reads the list and all that it refers to; undefined where there is none. `folder` is open where the list lies. */
export function findStatus(folder: Guard): ReadStatus | undefined {
  const bytes = findBytes(folder, STATUS_FILE, STATUS_MAX_BYTES)
  if (!bytes) return undefined
  const integrity = checkIntegrity(folder, bytes)
  const loading: Loading = { folder, files: 1, tasks: 0 }
  const list = parseStatus(textOf(bytes, STATUS_FILE), STATUS_FILE)
  loadSubFiles(loading, list.tasks, [STATUS_FILE])
  checkDepth(list.tasks, 1)
  checkStatus(list.tasks)
  checkIds(listTasks(list.tasks))
  return { ...list, integrity }
}

/** The list was saved with a hash beside it; another content was written by somebody else. */
function checkIntegrity(folder: Guard, bytes: Buffer): ReadStatus['integrity'] {
  const meta = findBytes(folder, META_FILE, META_MAX_BYTES)
  if (!meta) return 'unchecked'
  const { hash } = parseMeta(textOf(meta, META_FILE))
  const now = createHash('sha256').update(bytes).digest('hex')
  if (hash.toLowerCase().replace('sha256:', '') === now) return 'verified'
  throw new StatusDamaged(
    'IntegrityError',
    STATUS_FILE,
    undefined,
    `was changed by hand since it was saved: its hash is not the one in ${META_FILE}`,
  )
}

function parseMeta(text: string): z.output<typeof Meta> {
  try {
    return Meta.parse(JSON.parse(text))
  } catch {
    throw new StatusDamaged('IntegrityError', META_FILE, undefined, 'does not hold a hash')
  }
}

/** Puts the tasks of a sub-file below the task that refers to it. */
function loadSubFiles(loading: Loading, tasks: readonly StatusTask[], above: readonly string[]): void {
  for (const task of tasks) {
    loading.tasks += 1
    if (loading.tasks > TASKS_LIMIT)
      throw new StatusDamaged(
        'StatusParsingError',
        task.file,
        task.line,
        `there are more than ${TASKS_LIMIT} tasks`,
      )
    loadSubFiles(loading, task.children, above)
    if (task.sub_file !== undefined) loadSubFile(loading, task, task.sub_file, above)
  }
}

function loadSubFile(loading: Loading, task: StatusTask, given: string, above: readonly string[]): void {
  const damaged = (message: string) => new StatusDamaged('StatusParsingError', task.file, task.line, message)
  const path = requireInside(given, damaged)
  if (above.includes(path)) throw damaged(`refers to ${path}, which leads back to itself`)
  if (above.length >= DEPTH_LIMIT) throw damaged(`refers further than ${DEPTH_LIMIT} files deep`)
  loading.files += 1
  if (loading.files > FILES_LIMIT) throw damaged(`there are more than ${FILES_LIMIT} files`)
  const bytes = findBytes(loading.folder, path, STATUS_MAX_BYTES)
  if (!bytes && task.status === 'active') throw damaged(`is active, but ${path} does not exist`)
  if (!bytes) return
  const list = parseStatus(textOf(bytes, path), path)
  const own = task.children.length
  for (const child of list.tasks) renumber(child, task.id, countedOn(child.id, own))
  loadSubFiles(loading, list.tasks, [...above, path])
  task.children.push(...list.tasks)
}

/** After the parts that the task has in its own file; under a heading with a number, that number comes first. */
function countedOn(position: string, own: number): string {
  const steps = position.split('.')
  return [...steps.slice(0, -1), Number(steps.at(-1)) + own].join('.')
}

/** Positions in a sub-file count on from the task that refers to it; written ids stay. */
function renumber(task: StatusTask, above_id: string, position: string): void {
  if (!task.is_id_written) task.id = `${above_id}.${position}`
  for (const child of task.children) renumber(child, task.id, child.id.split('.').at(-1) ?? '')
}

/** A path below the folder of the list: no way up, no address, nothing absolute. */
function requireInside(given: string, damaged: (message: string) => Error): string {
  const names = given.split('/')
  const is_bad =
    given.startsWith('/') || given.includes('\\') || names.includes('..') || /^[A-Za-z][\w+.-]*:/.test(given)
  if (is_bad) throw damaged('refers to a file that does not lie in the folder of the list')
  return posix.normalize(given)
}

function checkDepth(tasks: readonly StatusTask[], depth: number): void {
  for (const task of tasks) {
    if (depth > DEPTH_LIMIT)
      throw new StatusDamaged(
        'StatusParsingError',
        task.file,
        task.line,
        `lies deeper than ${DEPTH_LIMIT} steps`,
      )
    checkDepth(task.children, depth + 1)
  }
}

function findBytes(folder: Guard, path: string, max_bytes: number): Buffer | undefined {
  try {
    return folder.readFile(path, max_bytes).bytes
  } catch (error) {
    if (error instanceof FileFault && error.code === 'FileNotFound') return undefined
    if (error instanceof FileFault && error.code === 'FileTooLarge')
      throw new StatusDamaged('StatusParsingError', path, undefined, `is larger than ${max_bytes} bytes`)
    if (error instanceof FileFault || error instanceof GuardDenied)
      throw new StatusDamaged('StatusParsingError', path, undefined, 'cannot be read as a plain file')
    throw error
  }
}

function textOf(bytes: Buffer, file: string): string {
  const text = findTextBytes(bytes)
  if (text) return text.toString('utf8')
  throw new StatusDamaged('StatusParsingError', file, undefined, 'is no UTF-8 text')
}

/** Checks what a list says against itself. Throws StatusDamaged at the first line that is wrong. */
export function checkStatus(tasks: readonly StatusTask[]): void {
  for (const siblings of bySection(tasks)) checkSiblings(siblings)
  for (const task of tasks) {
    checkParent(task)
    checkStatus(task.children)
  }
}

/** Checks that no id is written twice: nobody could tell which of them is meant. */
function checkIds(tasks: readonly StatusTask[]): void {
  const seen = new Map<string, StatusTask>()
  for (const task of tasks) {
    if (!task.is_id_written) continue
    const before = seen.get(task.id)
    if (before) throw conflict(task, `has the id ${task.id} that ${before.file}:${before.line} has already`)
    seen.set(task.id, task)
  }
}

/** Every task, a parent before its children. */
export function listTasks(tasks: readonly StatusTask[]): StatusTask[] {
  return tasks.flatMap((task) => [task, ...listTasks(task.children)])
}

/** Tasks under different headings are no siblings. */
function bySection(tasks: readonly StatusTask[]): StatusTask[][] {
  const sections = new Map<string, StatusTask[]>()
  for (const task of tasks) {
    const key = JSON.stringify(task.headings)
    const section = sections.get(key)
    if (section) section.push(task)
    else sections.set(key, [task])
  }
  return [...sections.values()]
}

function checkSiblings(siblings: readonly StatusTask[]): void {
  const names = new Map<string, StatusTask>()
  let active: StatusTask | undefined
  for (const task of siblings) {
    const name = task.is_id_written ? `${task.id} ${task.name}` : task.name
    const before = names.get(name)
    if (before) throw conflict(task, `has the name of its sibling in line ${before.line}`)
    names.set(name, task)
    if (task.status !== 'active') continue
    if (active) throw conflict(task, `is active, but so is its sibling in line ${active.line}`)
    active = task
  }
}

function checkParent(task: StatusTask): void {
  if (task.status !== 'done') return
  const open = task.children.find(({ status }) => status === 'pending' || status === 'active')
  if (open) throw conflict(open, `is ${open.status}, but its parent in line ${task.line} is done`)
}

function conflict({ file, line }: StatusTask, message: string): StatusDamaged {
  return new StatusDamaged('StatusConflict', file, line, message)
}
