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
