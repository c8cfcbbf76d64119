import { ToolFault } from '../tool-fault.ts'

/** The longest name that still fits a file below `.git/refs/heads` with its lock beside it. */
const MAX_BRANCH_BYTES = 200
const FORBIDDEN = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\//u

/**
 * Whether a text is a name that git takes for a branch. `@`, `@{-1}` and the like are no names, nor is one that
 * a push would read as an order to force.
 */
export function isBranchName(text: string): boolean {
  if (text === '' || text === '@' || text === 'HEAD' || /^[-+]/.test(text)) return false
  if (!text.isWellFormed() || Buffer.byteLength(text) > MAX_BRANCH_BYTES || hasControl(text)) return false
  if (FORBIDDEN.test(text) || text.startsWith('/') || text.endsWith('/') || text.endsWith('.')) return false
  return text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}

// git looks at bytes: only ASCII control characters are forbidden there, the others are so here.
function hasControl(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/u.test(text)
}

/** Refuses what is no branch name. */
export function checkBranchName(text: string): void {
  if (isBranchName(text)) return
  throw new ToolFault(
    'ValidationError',
    `${JSON.stringify(text.slice(0, 80))} is not a branch name.`,
    'Use letters, digits, "-", "_" and single "/", such as feature/login; no spaces, "..", "~^:?*[\\", ' +
      '"@{", no leading "-", "+" or ".", no trailing "/", "." or ".lock".',
  )
}
