import { MAX_VERSION_CHARS } from './limits.ts'

/** The three parts of a version as decimal digits: no number type, so no part can lose precision. */
export type Version = readonly [major: string, minor: string, patch: string]

const STRICT_VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** The parts of a strict x.y.z version, or undefined when the text is not one or is too long. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > MAX_VERSION_CHARS) return undefined
  const match = STRICT_VERSION.exec(text)
  if (match === null) return undefined
  const [, major = '', minor = '', patch = ''] = match
  return [major, minor, patch]
}

/** Whether the value is a strict x.y.z version. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && parseVersion(value) !== undefined
}

/** A text of digits whose plain byte order is the order of versions; throws when not a version. */
export function versionKey(version: string): string {
  // No leading zeros are possible, so a longer part is a larger one: its length decides first.
  return requireVersion(version)
    .map((part) => `${String(part.length).padStart(2, '0')}${part}`)
    .join('')
}

/** Negative, zero or positive as the left version is lower, equal or higher; throws when not versions. */
export function compareVersions(left: string, right: string): number {
  const leftKey = versionKey(left)
  const rightKey = versionKey(right)
  if (leftKey === rightKey) return 0
  return leftKey < rightKey ? -1 : 1
}

function requireVersion(text: string): Version {
  const version = parseVersion(text)
  if (version === undefined) throw new TypeError('version must be x.y.z')
  return version
}
