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
  /**
   * A number that stays the same for as long as nobody has changed the table, as reads of this moment see it. Nothing
   * where that cannot be told.
   */
  edition?(table: string): number | undefined
}

/** What may be asked inside a transaction. A statement that fails ends it: nothing of it will be kept. */
export interface Transaction extends Reader {
  /** Runs a change and answers how many rows it touched. */
  run(statement: Statement<never>, ...values: SqlValue[]): Promise<number>
  /** Runs a change once for each list of values, in order. */
  runEach(statement: Statement<never>, lists: readonly (readonly SqlValue[])[]): Promise<void>
  /** Has items written when the work is done, together with those of others that share the commit. */
  atEnd<Item>(tail: Tail<Item>, items: readonly Item[]): void
}

/** What is written at the end of a commit, in one go for all whose work it belongs to. */
export interface Tail<Item> {
  write(tx: Transaction, items: readonly Item[]): Promise<void>
}

export interface Database extends Reader {
  readonly kind: 'sqlite' | 'postgres'
  /**
   * Runs `work` atomically; when the promise resolves, the change has reached the disk. `work` may
   * await nothing but the transaction itself: others wait behind it. Within `work` the database itself
   * answers nothing, and `work` may be run again after a conflict. Where several callers share one
   * transaction, `callers` tells how many they are by now: it helps to know how many more may be on their way.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>, callers?: () => number): Promise<Result>
  close(): Promise<void>
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
