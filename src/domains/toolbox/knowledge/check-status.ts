import { StatusDamaged, type StatusTask } from './status-task.ts'

/** Checks what a list says against itself. Throws StatusDamaged at the first line that is wrong. */
export function checkStatus(tasks: readonly StatusTask[]): void {
  for (const siblings of bySection(tasks)) checkSiblings(siblings)
  for (const task of tasks) {
    checkParent(task)
    checkStatus(task.children)
  }
}

/** Checks that no id is written twice: nobody could tell which of them is meant. */
export function checkIds(tasks: readonly StatusTask[]): void {
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
