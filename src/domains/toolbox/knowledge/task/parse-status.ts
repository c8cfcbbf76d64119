/** The markers of a task list. */
const TASK_STATUSES = ['pending', 'active', 'done', 'skipped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** One task of a list, as it is written. */
export interface StatusTask {
  /** Written before its name, or by its position. */
  id: string
  readonly is_id_written: boolean
  readonly name: string
  readonly status: TaskStatus
  readonly marker: string
  /** Below the folder of the list. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** The headings that it stands under, outermost first. */
  readonly headings: readonly string[]
  /** Another file that its parts are in, below the same folder. */
  readonly sub_file: string | undefined
  readonly children: StatusTask[]
}

/** A task list that was read whole. */
export interface StatusList {
  readonly header: Readonly<Record<string, string>>
  readonly tasks: readonly StatusTask[]
}

export type StatusProblem = 'StatusParsingError' | 'StatusConflict' | 'IntegrityError'

/** A task list that cannot be used; says where. */
export class StatusDamaged extends Error {
  override readonly name = 'StatusDamaged'
  readonly problem: StatusProblem
  readonly file: string
  readonly line: number | undefined
  constructor(problem: StatusProblem, file: string, line: number | undefined, message: string) {
    super(message)
    this.problem = problem
    this.file = file
    this.line = line
  }
}

export const DEPTH_LIMIT = 20
export const TASKS_LIMIT = 20_000
export const FILES_LIMIT = 100
export const STATUS_MAX_BYTES = 1024 * 1024

/** Blanks of a step; two where a list has any that are indented by two. */
const INDENT = 4
const NARROW_INDENT = 2
const LINE_MAX_CHARS = 2_000
const HEADER_LIMIT = 100
const TASK = /^(\s*)(?:-|[*+](?=\s))\s*\[([ xXvV/-])\]\s*(\S.*)$/
const BROKEN_TASK = /^\s*(?:-\s*\[|[*+]\s+\[[^\]]?\](?!\())/
const HEADING = /^(#{1,6})\s+(\S.*)$/
const HEADER = /^([A-Za-z][\w .-]{0,100}?)\s*:\s*(\S.*)$/
const FENCE = /^\s*(`{3,}|~{3,})/
/**
 * `3.1.` or `3.1.1`: without the last dot only with three steps, since `24.04 upgrade` is no id. `TASK-431` may stand
 * in brackets or stars, with a sign after it.
 */
const WRITTEN_ID =
  /^(?:(\d+(?:\.\d+)*)\.|(\d+(?:\.\d+){2,}):?|[[(*]{0,3}((?!(?:UTF|SHA|ISO|RFC|HTTP|TLS|AES|RSA|CVE)-)[A-Z][A-Z0-9_]{0,19}-\d{1,9})(?:[\])*:.]{1,4}|\s+[-–—](?=\s)|(?=\s)))\s*(?=\S)(?<=\s)/
/** `3. Area`, `3.1 Area`: the number of a heading itself. */
const HEADING_NUMBER = /^(?:(\d+(?:\.\d+)+)[.):]?|(\d+)[.):])\s/
const SUB_FILE = /^(.*?\S)\s+@\s+(?:"([^"]+)"|'([^']+)'|(\S+))$/
const STATUSES: Readonly<Record<string, TaskStatus>> = {
  ' ': 'pending',
  '/': 'active',
  x: 'done',
  v: 'done',
  '-': 'skipped',
}

interface Reading {
  readonly file: string
  readonly header: Record<string, string>
  readonly tasks: StatusTask[]
  /** The task at each depth that further ones may belong to. */
  readonly open: StatusTask[]
  readonly headings: string[]
  count: number
  is_at_top: boolean
  fence: string | undefined
  in_comment: boolean
  readonly indent: number
}

/** Reads one file of a task list. Throws StatusDamaged, naming the line, where it is not one. */
export function parseStatus(text: string, file: string): StatusList {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const reading: Reading = {
    file,
    header: {},
    tasks: [],
    open: [],
    headings: [],
    count: 0,
    is_at_top: true,
    fence: undefined,
    in_comment: false,
    indent: indentOf(lines),
  }
  for (const [index, line] of lines.entries()) readLine(reading, line, index + 1)
  return { header: reading.header, tasks: reading.tasks }
}

/** How many blanks one step of a list has. */
function indentOf(lines: readonly string[]): number {
  const isNarrow = (line: string) => (/^ */.exec(line)?.[0].length ?? 0) % INDENT === NARROW_INDENT
  const has_narrow = lines.some((line) => line.length <= LINE_MAX_CHARS && isNarrow(line) && TASK.test(line))
  return has_narrow ? NARROW_INDENT : INDENT
}

function readLine(reading: Reading, line: string, number: number): void {
  if (isPassedOver(reading, line)) return
  if (line.length > LINE_MAX_CHARS) return passLongLine(reading, line, number)
  const heading = HEADING.exec(line)
  if (heading) {
    const level = heading[1]?.length ?? 1
    reading.headings.length = Math.min(reading.headings.length, level - 1)
    // A level that was left out is there, without a name.
    while (reading.headings.length < level - 1) reading.headings.push('')
    reading.headings.push((heading[2] ?? '').trimEnd().replace(/ #+$/, '').trimEnd())
    reading.open.length = 0
    reading.is_at_top = false
  } else if (TASK.test(line)) readTask(reading, line, number)
  else if (BROKEN_TASK.test(line))
    throw new StatusDamaged(
      'StatusParsingError',
      reading.file,
      number,
      'is no task: write `- [ ] Name`, with one of [ ] [/] [x] [v] [-]',
    )
  else readHeader(reading, line)
}

/** Words may be long; a task may not. */
function passLongLine({ file }: Reading, line: string, number: number): void {
  if (!BROKEN_TASK.test(line.slice(0, LINE_MAX_CHARS))) return
  throw new StatusDamaged('StatusParsingError', file, number, `is longer than ${LINE_MAX_CHARS} characters`)
}

/** Comments and blocks of code hold no tasks. */
function isPassedOver(reading: Reading, line: string): boolean {
  if (reading.fence !== undefined) {
    if (FENCE.exec(line)?.[1]?.startsWith(reading.fence)) reading.fence = undefined
    return true
  }
  if (reading.in_comment) {
    reading.in_comment = !line.includes('-->')
    return true
  }
  if (/^\s*<!--/.test(line)) {
    reading.in_comment = !line.includes('-->')
    return true
  }
  reading.fence = FENCE.exec(line)?.[1]
  return reading.fence !== undefined || line.trim() === ''
}

function readHeader({ header, is_at_top }: Reading, line: string): void {
  const [, key, value] = HEADER.exec(line) ?? []
  if (!is_at_top || key === undefined || value === undefined || Object.keys(header).length >= HEADER_LIMIT)
    return
  Object.defineProperty(header, key, {
    value: value.trim(),
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

function readTask(reading: Reading, line: string, number: number): void {
  const [, indent = '', mark = ' ', rest = ''] = TASK.exec(line) ?? []
  const depth = depthOf(reading, indent, number)
  reading.is_at_top = false
  reading.count += 1
  if (reading.count > TASKS_LIMIT)
    throw new StatusDamaged(
      'StatusParsingError',
      reading.file,
      number,
      `there are more than ${TASKS_LIMIT} tasks`,
    )
  const above = reading.open[depth - 1]
  const siblings = above?.children ?? reading.tasks
  const task = toTask(reading, rest.trim(), mark, number)
  if (!task.is_id_written) task.id = positionalId(reading, above, siblings)
  siblings.push(task)
  reading.open.length = depth
  reading.open.push(task)
}

/** A step more than one further in has nothing to belong to. */
function depthOf({ file, open, indent: step }: Reading, indent: string, number: number): number {
  const damaged = (message: string) => new StatusDamaged('StatusParsingError', file, number, message)
  if (/[^ ]/.test(indent)) throw damaged('is indented by something other than blanks')
  if (indent.length % step !== 0)
    throw damaged(`is indented by ${indent.length} blanks, not by a multiple of ${step}`)
  const depth = indent.length / step
  if (depth >= DEPTH_LIMIT) throw damaged(`lies deeper than ${DEPTH_LIMIT} steps`)
  if (depth > open.length) throw damaged('is indented further than the task above it allows')
  return depth
}

function toTask({ file, headings }: Reading, text: string, mark: string, line: number): StatusTask {
  const written = WRITTEN_ID.exec(text)
  const rest = written ? text.slice(written[0].length) : text
  const [, name, ...paths] = SUB_FILE.exec(rest) ?? []
  return {
    id: written?.[1] ?? written?.[2] ?? written?.[3] ?? '',
    is_id_written: written !== null,
    name: name ?? rest,
    status: STATUSES[mark.toLowerCase()] ?? 'pending',
    marker: `[${mark}]`,
    file,
    line,
    headings: headings.filter((heading) => heading !== ''),
    sub_file: name === undefined ? undefined : paths.find((path) => path !== undefined),
    children: [],
  }
}

/** By its place among its siblings; at the top, under a heading with a number, by the place under that. */
function positionalId(
  { headings }: Reading,
  above: StatusTask | undefined,
  siblings: readonly StatusTask[],
): string {
  if (above) return `${above.id}.${siblings.length + 1}`
  const section = headings.findLast((heading) => HEADING_NUMBER.test(heading))
  if (section === undefined) return String(siblings.length + 1)
  const before = siblings.filter((task) => task.headings.at(-1) === section).length
  const [, long, short] = HEADING_NUMBER.exec(section) ?? []
  return `${long ?? Number(short)}.${before + 1}`
}
