/** One thing that is not as the contract wants it. Neither text ever quotes a value. */
export interface Violation {
  /** Such as `artifacts[0].metadata.generatedAt`; empty for the document as a whole. */
  readonly path: string
  readonly message: string
}

/** A document that was refused, with everything that is wrong with it. */
export interface Rejected<Code extends string> {
  readonly ok: false
  readonly code: Code
  readonly violations: readonly Violation[]
}

export type Checked<Value, Code extends string> =
  | { readonly ok: true; readonly value: Value }
  | Rejected<Code>

/** A document with more faults than this is reported by its first ones. */
const VIOLATION_LIMIT = 100

/** The faults found so far. */
export type Found = Violation[]

/** Notes a fault, unless there are enough of them already. */
export function note(found: Found, path: string, message: string): void {
  if (found.length < VIOLATION_LIMIT) found.push({ path, message })
}

const PLAIN_NAME = /^[A-Za-z_$][\w$-]{0,63}$/

/** The path of a member. A name that is no plain word is data rather than a name, so it is not repeated. */
export function memberPath(path: string, key: string): string {
  const name = PLAIN_NAME.test(key) ? key : '*'
  return path === '' ? name : `${path}.${name}`
}
