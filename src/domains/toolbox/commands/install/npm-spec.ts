// What npm takes for a name on its registry. Anything else could be read as an address where it stands before an `@`.
const NAME = /^(?:@[a-z0-9~_-][a-z0-9~_.-]*\/)?[a-z0-9~_-][a-z0-9~_.-]*$/i
const VERSION = /^v?\d+\.\d+\.\d+(?:[-+][0-9a-z.+-]*)?$/i
// Versions, ranges of them and tags: no colon, no slash and no `@`, so no address, no shorthand and no path.
const RANGE = /^[\w.*^~<>=|+ -]*$/
const ARCHIVE = /\.(?:tgz|tar|tar\.gz)$/i
const ALIAS = /^npm:(@?[^@]+)(?:@(.*))?$/i

export function isPackageName(name: string): boolean {
  return name.length <= 214 && NAME.test(name)
}

export function isPlainVersion(version: string): boolean {
  return VERSION.test(version)
}

/** Whether npm asks for this only at its registry: a version, a range, a tag, or another name with one of these. */
export function isRegistrySpec(spec: string): boolean {
  const [, name, range = ''] = ALIAS.exec(spec) ?? []
  return name === undefined ? isRange(spec) : isPackageName(name) && isRange(range)
}

// npm takes what begins with a dot for a path, and what ends like an archive for a file.
function isRange(text: string): boolean {
  const range = text.trim()
  return RANGE.test(text) && !range.startsWith('.') && !ARCHIVE.test(range)
}
