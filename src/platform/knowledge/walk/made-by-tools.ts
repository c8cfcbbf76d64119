const PATHS = new RegExp(
  [
    '(?:^|/)(?:generated|__generated__|vendor|third[-_]party|dist|bundles?)/|(?:^|/)zz_generated',
    '[._-]min\\.(?:[cm]?js|css)$|\\.(?:bundle|chunk)\\.[cm]?js$|\\.pb\\.\\w+$|_pb2(?:_grpc)?\\.pyi?$',
    '\\.(?:g|gen|designer|generated)\\.\\w+$|_(?:generated|gen)\\.\\w+$',
    '(?:^|/)(?:package-lock\\.json|npm-shrinkwrap\\.json|go\\.sum)$|[-.]lock(?:\\.ya?ml)?$|\\.(?:snap|map)$',
  ].join('|'),
  'i',
)
/** What the first lines of such a file say of it. */
const SAYS_SO = new RegExp(
  [
    '@generated\\b|<auto-?generated|\\b(?:automatically|auto)[- ]?generated\\b.{0,80}(?:by|from|do not|file)',
    '\\bgenerated (?:by|from|with)\\b.{0,200}\\bdo not (?:edit|modify|change)\\b',
    '\\bthis (?:file|code|source) (?:is|was|has been) (?:auto\\w*[- ]?)?generated\\b',
  ].join('|'),
  'is',
)
const HEAD_CHARS = 1_000
/** No one writes lines of so many characters on average, in a file that is longer than a few. */
const DENSE_CHARS = 2_000
const LINE_CHARS = 300

/** Whether a file was made by a tool, as far as its path and its text tell. */
export function isMadeByTool(path: string, text: string): boolean {
  if (PATHS.test(path) || SAYS_SO.test(text.slice(0, HEAD_CHARS))) return true
  return text.length > DENSE_CHARS && isDense(path, text)
}

function isDense(path: string, text: string): boolean {
  if (!/\.(?:[cm]?js|css|html?|svg|json)$/i.test(path)) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return text.length / lines > LINE_CHARS
}
