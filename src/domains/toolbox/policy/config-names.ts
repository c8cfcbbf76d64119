import { compileNameRules } from '../../../platform/guard/blocked-names.ts'

/** The bare name of a program: no path, no option, nothing a shell would read. */
export const BINARY_NAME = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/

/** The name of a unit of the service manager, never a pattern of names. */
export const UNIT_NAME = /^[A-Za-z0-9_][A-Za-z0-9:_.@-]{0,127}$/

const UNKNOWN_SIGNS = /[?[\]{}!\\]/

/** Whether a text is one line without anything invisible in it. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
}

/** Whether a path, a trailing slash aside, names a folder below the one it is relative to. */
export function isPathInside(path: string): boolean {
  return isPlainText(path) && segmentsOf(path).every((name) => name !== '' && name !== '.' && name !== '..')
}

/** The names that a path is made of. */
export function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

/**
 * Whether the guard can close what a text names: one whole name, in which only `*` stands for others.
 * Any other sign of a pattern would be compared as it is and so close nothing, unnoticed.
 */
export function isBlockable(name: string): boolean {
  if (UNKNOWN_SIGNS.test(name)) return false
  try {
    compileNameRules([name])
    return true
  } catch {
    return false
  }
}
