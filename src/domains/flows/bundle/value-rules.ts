import { isBlank } from '../../../platform/basics/hidden-signs.ts'

/** A place in a document and what is there; `owner` is the record that holds it. */
export type Place = { at: string; owner: object }

/** Names what is wrong with a value in constant words, or answers undefined when it is right. */
export type Rule = (value: unknown, place: Place) => string | undefined

/** One field of a record: its name, its rule and whether it may be left out. */
export type Field = readonly [name: string, rule: Rule, presence?: 'optional']

// Line breaks and tabs are text; other control characters could drive a terminal or break a database.
const CONTROL_CHARACTER = /(?![\n\r\t])\p{Cc}/u
const LINE_BREAK = /[\n\r\u2028\u2029]/

/** Accepts text up to a number of characters, also empty text. */
export function text(max_chars: number): Rule {
  return (value, { at }) => {
    if (typeof value !== 'string') return `${at} must be a string`
    if (value.length > max_chars) return `${at} must be at most ${max_chars} characters`
    if (!value.isWellFormed()) return `${at} must be well-formed Unicode`
    return CONTROL_CHARACTER.test(value) ? `${at} must not hold control characters` : undefined
  }
}

/** Accepts text that holds more than white space. */
export function nonBlank(max_chars: number): Rule {
  const findTextFault = text(max_chars)
  return (value, place) => {
    const says_nothing = typeof value !== 'string' || isBlank(value)
    return says_nothing ? `${place.at} must be a non-blank string` : findTextFault(value, place)
  }
}

/** Accepts non-blank text on one line. */
export function oneLine(max_chars: number): Rule {
  const findTextFault = nonBlank(max_chars)
  return (value, place) => {
    const fault = findTextFault(value, place)
    if (fault !== undefined) return fault
    return LINE_BREAK.test(value as string) ? `${place.at} must be on one line` : undefined
  }
}

/** Accepts a string for which the test holds; `form` says in words what it has to be. */
export function textThat(isRight: (value: string) => boolean, form: string): Rule {
  return (value, { at }) =>
    typeof value === 'string' && isRight(value) ? undefined : `${at} must be ${form}`
}

/** Accepts exactly the listed strings. */
export function oneOf(allowed: readonly string[]): Rule {
  return textThat((value) => allowed.includes(value), `one of ${allowed.join(', ')}`)
}

/** Accepts true and false. */
export const flag: Rule = (value, { at }) =>
  typeof value === 'boolean' ? undefined : `${at} must be a boolean`

/** Accepts integers in a range, both ends included. */
export function integer(min: number, max: number): Rule {
  return (value, { at }) => {
    const isRight = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
    return isRight ? undefined : `${at} must be an integer from ${min} to ${max}`
  }
}

/** Accepts null, and else what the rule accepts. */
export function nullOr(rule: Rule): Rule {
  return (value, place) => (value === null ? undefined : rule(value, place))
}

/** Applies rules in turn and names the first fault. */
export function inTurn(...rules: readonly Rule[]): Rule {
  return (value, place) => {
    for (const rule of rules) {
      const fault = rule(value, place)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** Accepts a list of a bounded length; says so before looking at any item. */
export function listSize(min: number, max: number): Rule {
  return (value, { at }) => {
    if (!Array.isArray(value)) return `${at} must be an array`
    if (value.length < min) return `${at} must be a non-empty array`
    return value.length > max ? `${at} must hold at most ${max} items` : undefined
  }
}

/** Accepts a bounded list whose items all follow the rule. */
export function listOf(rule: Rule, max: number, min = 0): Rule {
  return inTurn(listSize(min, max), (value, { at }) => {
    const list = value as readonly unknown[]
    for (let index = 0; index < list.length; index += 1) {
      const fault = rule(ownValue(list, String(index)), { at: `${at}[${index}]`, owner: list })
      if (fault !== undefined) return fault
    }
    return undefined
  })
}

/** Accepts a plain object, whatever is in it. */
export const record: Rule = (value, { at }) => (isRecord(value) ? undefined : `${at} must be an object`)

/** Accepts a plain object with these fields, checked in this order, and no others. */
export function recordOf(fields: readonly Field[]): Rule {
  return inTurn(record, fieldsIn(fields), onlyKeys(fields.map(([name]) => name)))
}

/** Accepts an object whose listed fields follow their rules, checked in this order. */
export function fieldsIn(fields: readonly Field[]): Rule {
  return (value, { at }) => {
    const owner = value as object
    for (const [name, rule, presence] of fields) {
      const item = ownValue(owner, name)
      if (presence === 'optional' && item === undefined) continue
      const fault = rule(item, { at: `${at}.${name}`, owner })
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** Accepts an object without other keys; computed properties count as other keys. */
export function onlyKeys(names: readonly string[]): Rule {
  return (value, { at }) => {
    const keys = Reflect.ownKeys(value as object)
    const isKnown = (key: string | symbol) =>
      typeof key === 'string' && names.includes(key) && isData(value, key)
    // The count comes first: a key repeated is impossible, so more keys than names means a stranger.
    const isRight = keys.length <= names.length && keys.every(isKnown)
    return isRight ? undefined : `${at} must not hold unknown fields`
  }
}

/** The stored value of an object's own property; nothing for inherited and computed ones. */
export function ownValue(owner: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(owner, name)?.value
}

function isData(owner: unknown, key: string | symbol): boolean {
  const property = Object.getOwnPropertyDescriptor(owner as object, key)
  return property !== undefined && 'value' in property
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
