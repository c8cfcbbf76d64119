/** A value that both databases store the same way. */
export type SqlValue = string | number | null

declare const rowType: unique symbol

/**
 * One SQL text in the dialect both databases share, with `?` for parameters. Statements are module
 * constants, so each driver prepares a text once and finds the prepared form again by its object.
 */
export interface Statement<Row> {
  readonly text: string
  readonly [rowType]?: Row
}

/** Names a statement and the shape of the rows it gives. */
export function sql<Row = never>(text: string): Statement<Row> {
  const oneLine = text.replace(/'(?:[^']|'')*'|\s+/g, (part) => (part.startsWith("'") ? part : ' '))
  return { text: oneLine.trim() }
}

/** What may be asked outside a transaction. */
export interface Reader {
  get<Row>(statement: Statement<Row>, ...values: SqlValue[]): Promise<Row | undefined>
  all<Row>(statement: Statement<Row>, ...values: SqlValue[]): Promise<Row[]>
}

/** What may be asked inside a transaction. A statement that fails ends it: nothing of it will be kept. */
export interface Transaction extends Reader {
  /** Runs a change and answers how many rows it touched. */
  run(statement: Statement<never>, ...values: SqlValue[]): Promise<number>
  /** Runs a change once for each list of values, in order. */
  runEach(statement: Statement<never>, lists: readonly (readonly SqlValue[])[]): Promise<void>
  /** Has items written when the work is done, together with those of others that share the commit. */
  atEnd<Item>(tail: Tail<Item>, items: readonly Item[]): void
  /**
   * Has something done when the commit has reached the disk, before anybody hears of it. If that fails the callers are
   * told that the store cannot be used, although what they did is kept.
   */
  afterCommit(act: () => void): void
}

/** What is written at the end of a commit, in one go for all whose work it belongs to. */
export interface Tail<Item> {
  write(tx: Transaction, items: readonly Item[]): Promise<void>
}

export interface Database extends Reader {
  readonly kind: 'sqlite' | 'postgres'
  /** How many calls wait for their turn at the store right now. */
  waiting(): number
  /** How long calls have waited for one of the connections, all together; absent where there are none to wait for. */
  waited_ms?(): number
  /**
   * Runs `work` atomically; when the promise resolves, the change has reached the disk. `work` may
   * await nothing but the transaction itself: others wait behind it. Within `work` the database itself
   * answers nothing, and `work` may be run again after a conflict.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Throws where the files that are open are not those that lie in their place any more; then nothing else works either. */
  checkInPlace?(): void
  /** `untouched` copies nothing from a write-ahead log into its file: it is left as it was found. */
  close(options?: { untouched?: boolean }): Promise<void>
}

/** The store cannot be read or written now: disk full, read-only, locked for too long, connection gone. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}

/** A text holds what the store cannot keep, or look for: PostgreSQL knows no NUL. */
export class TextRefused extends Error {
  override readonly name = 'TextRefused'
}

/** The store is not what it should be. It is left as it is, for recovery. */
export class StorageDamaged extends Error {
  override readonly name: string = 'StorageDamaged'
}

/** The store was written by a newer program. It is sound, and left as it is. */
export class StorageTooNew extends StorageDamaged {
  override readonly name = 'StorageTooNew'
}
