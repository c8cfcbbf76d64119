import type { z } from 'zod'

/** What zod says for a check of ours that has no words of its own. */
const UNSAID = 'Invalid input'
const NOT_VALID = 'is not valid'

/** Says what is wrong with an input in our own words: where, and what was expected; never what was sent. */
export function describeIssue(error: z.ZodError, input: unknown): string {
  const issue = error.issues[0]
  if (!issue) return 'The request is not valid.'
  const place = issue.path.map(String).join('.') || 'the input'
  // Where anything may stand, and another check reads it, all there is to say is that it is not there.
  if (issue.code === 'invalid_type' && issue.expected === 'nonoptional') return `${place} is missing.`
  const expected = expectationOf(issue)
  if (!isMissing(issue, input)) return `${place} ${expected}.`
  return expected === NOT_VALID ? `${place} is missing.` : `${place} is missing: it ${expected}.`
}

function isMissing({ path }: z.core.$ZodIssue, input: unknown): boolean {
  let value = input
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return true
    value = (value as Record<PropertyKey, unknown>)[name]
  }
  return value === undefined
}

function expectationOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'has a key that is not known'
    case 'invalid_type':
      return `must be of type ${issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : `must ${sizeOf('at most', issue.maximum, issue.origin)}`
    case 'too_small':
      return issue.inclusive === false
        ? `must be greater than ${issue.minimum}`
        : `must ${sizeOf('at least', issue.minimum, issue.origin)}`
    case 'invalid_format':
      return 'does not have the required form'
    case 'custom':
      return issue.message === UNSAID ? NOT_VALID : issue.message
    default:
      return NOT_VALID
  }
}

function sizeOf(bound: string, size: number | bigint, origin: string): string {
  if (origin === 'array' || origin === 'set')
    return `have ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`
  return `be ${bound} ${size}${origin === 'string' ? ' characters long' : ''}`
}
