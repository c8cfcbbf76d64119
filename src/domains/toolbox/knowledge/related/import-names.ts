/** What a source file says about others, as it is written there. */
export interface Imports {
  /** As the language writes them: `./x`, `a.b.c`, `..x`, `crate::a::b`, `example.org/m/pkg`. */
  readonly imports: readonly string[]
  /** Of these, what it hands on as its own. */
  readonly re_exports: readonly string[]
  /** Of Go and Java. */
  readonly package?: string
  readonly has_inline_tests?: boolean
}

export type ImportLanguage = 'script' | 'python' | 'go' | 'rust' | 'java'

const IMPORTS_LIMIT = 500

const ENDINGS: readonly (readonly [RegExp, ImportLanguage])[] = [
  [/\.[cm]?[jt]sx?$/i, 'script'],
  [/\.pyi?$/i, 'python'],
  [/\.go$/i, 'go'],
  [/\.rs$/i, 'rust'],
  [/\.java$/i, 'java'],
]

/** The language whose imports a file has. */
export function findImportLanguage(path: string): ImportLanguage | undefined {
  return ENDINGS.find(([ending]) => ending.test(path))?.[1]
}

/** Reads the imports of a text, by the forms of its language; what is commented out does not count. */
export function readImports(language: ImportLanguage, text: string): Imports {
  return READERS[language](language === 'python' ? text : withoutComments(text))
}

const SCRIPT_IMPORT =
  /(?:\bfrom|\bimport|\bimport\s{0,20}\(|\brequire\s{0,20}\(|\b(?:mock|doMock|importActual|requireActual)\s{0,20}\()\s{0,200}(['"`])([^'"`\n]{1,500})\1/g
const SCRIPT_EXPORT =
  /\bexport\s{1,20}(?:type\s{1,20})?(?:\*(?:\s{1,20}as\s{1,20}[\w$]{1,100})?|\{[^{}]{0,4000}\})\s{0,20}from\s{0,20}(['"])([^'"\n]{1,500})\1/g
const SCRIPT_HANDED =
  /\bexports(?:\.[\w$]{1,100})?\s{0,20}=\s{0,20}require\s{0,20}\(\s{0,20}(['"])([^'"\n]{1,500})\1/g
const PYTHON_LINE =
  /^[ \t]*(?:import[ \t]+([^\n#]{1,2000})|from[ \t]{1,200}(\.{0,20}[\w.]{0,500})[ \t]{1,200}import[ \t]*(\([^()]{0,4000}\)|[^\n#]{1,2000}))/gm
const GO_IMPORT = /^import\s{1,20}(?:\(([^()]{0,20000})\)|(?:[\w.]{1,100}\s{1,20})?("[^"\n]{1,500}"))/gm
const RUST_USE = /^[ \t]{0,200}(pub(?:\([^()\n]{0,100}\))?[ \t]{1,20})?use[ \t]/gm
const RUST_MOD = /^[ \t]*(?:pub(?:\([^()]{0,100}\))?\s{1,20})?mod\s{1,20}(\w{1,200})\s{0,20};/gm
const JAVA_IMPORT =
  /^[ \t]{0,200}import[ \t]{1,20}(?:static[ \t]{1,20})?([\w.]{1,500}(?:\.\*)?)[ \t]{0,20};/gm

const READERS: Readonly<Record<ImportLanguage, (text: string) => Imports>> = {
  script: (text) => ({
    imports: few(text.matchAll(SCRIPT_IMPORT), (match) => [match[2]]),
    re_exports: [SCRIPT_EXPORT, SCRIPT_HANDED].flatMap((form) =>
      few(text.matchAll(form), (match) => [match[2]]),
    ),
  }),
  python: (text) => {
    const imports = few(text.matchAll(PYTHON_LINE), ([, plain, from, names]) =>
      plain === undefined ? fromNames(from ?? '', names ?? '') : plain.split(',').map(firstWord),
    )
    return { imports, re_exports: imports }
  },
  go: (text) => ({
    imports: few(text.matchAll(GO_IMPORT), ([, block, single]) =>
      [...(block ?? single ?? '').replaceAll(/\/\/[^\n]*/g, '').matchAll(/"([^"\n]{1,500})"/g)].map(
        (match) => match[1],
      ),
    ),
    re_exports: [],
    package: /^package\s{1,20}(\w{1,200})/m.exec(text)?.[1] ?? '',
  }),
  rust: (text) => {
    const uses = listUses(text)
    const modules = few(text.matchAll(RUST_MOD), (match) => [`self::${match[1]}`])
    return {
      imports: [...new Set([...uses.flatMap(({ path }) => usePaths(path)), ...modules])].slice(
        0,
        IMPORTS_LIMIT,
      ),
      re_exports: uses.filter(({ is_public }) => is_public).flatMap(({ path }) => usePaths(path)),
      has_inline_tests: /#\[cfg\(test\)\]|#\[(?:\w{1,50}::)?test\]/.test(text),
    }
  },
  java: (text) => ({
    imports: few(text.matchAll(JAVA_IMPORT), (match) => [match[1]]),
    re_exports: [],
    package: /^[ \t]{0,200}package[ \t]{1,20}([\w.]{1,500})[ \t]{0,20};/m.exec(text)?.[1] ?? '',
  }),
}

function few(
  matches: Iterable<RegExpExecArray>,
  read: (match: RegExpExecArray) => readonly (string | undefined)[],
): string[] {
  const found = new Set<string>()
  for (const match of matches) {
    for (const one of read(match)) if (one) found.add(one)
    if (found.size >= IMPORTS_LIMIT) break
  }
  return [...found]
}

function firstWord(text: string): string {
  return text.trim().split(/\s/)[0] ?? ''
}

/** `from a.b import c` may mean the module `a.b.c` or something in `a.b`. */
function fromNames(from: string, names: string): string[] {
  const joint = from.endsWith('.') || from === '' ? from : `${from}.`
  const list = names.replaceAll(/[()]/g, '').split(',').map(firstWord)
  return [from, ...list.filter((name) => /^\w+$/.test(name)).map((name) => joint + name)]
}

const USE_MAX_CHARS = 4_000

/** What stands between `use` and its semicolon; each semicolon is looked for once. */
function listUses(text: string): { path: string; is_public: boolean }[] {
  const uses: { path: string; is_public: boolean }[] = []
  let end = 0
  for (const match of text.matchAll(RUST_USE)) {
    const start = match.index + match[0].length
    if (start < end) continue
    end = text.indexOf(';', start)
    if (end < 0 || uses.length >= IMPORTS_LIMIT) break
    if (end - start <= USE_MAX_CHARS)
      uses.push({ path: text.slice(start, end), is_public: match[1] !== undefined })
  }
  return uses
}

/** The paths of `a::{b, c::{d}}`, one by one. */
function usePaths(text: string): string[] {
  const paths: string[] = []
  const above: string[] = []
  let current = ''
  const end = () => {
    const path = (above.join('') + current).replace(/ as \w+ ?$/, '').replaceAll(' ', '')
    if (path !== '' && !path.endsWith('::')) paths.push(path)
    current = ''
  }
  // Each path is looked at with all that stands above it: long gaps would be gone through again and again.
  for (const sign of text.replaceAll(/\s+/g, ' ')) {
    if (sign === '{') {
      above.push(current)
      current = ''
    } else if (sign === '}') {
      end()
      above.pop()
    } else if (sign === ',') end()
    else current += sign
  }
  end()
  return paths.slice(0, IMPORTS_LIMIT)
}

/** Goes over the text once; an unclosed comment goes to the end. Addresses in strings may lose their end. */
function withoutComments(text: string): string {
  const kept: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf('/*', at)
    if (start < 0) {
      kept.push(text.slice(at))
      break
    }
    kept.push(text.slice(at, start))
    const end = text.indexOf('*/', start + 2)
    at = end < 0 ? text.length : end + 2
  }
  return kept.join('').replaceAll(/^[ \t]*\/\/[^\n]*$/gm, '')
}
