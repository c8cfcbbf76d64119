/** How a family of languages is read: what begins a comment or a string of several lines, what defines. */
export interface Language {
  readonly line_comments: readonly string[]
  /** Comments between a slash with a star and a star with a slash. */
  readonly has_blocks: boolean
  /** Texts in these may go over lines. */
  readonly long_quotes: readonly string[]
  /** Any text may go over lines, `r#"…"#` has no escapes, and a single quote may begin a lifetime. */
  readonly has_rust_texts?: boolean
  /** A name with brackets after it defines a function or a method, with no word before it needed. */
  readonly has_bare_functions: boolean
  /** The kind of what a function answers stands before its name, and may fill lines by itself. */
  readonly has_kinds_first?: boolean
  /** `const name = …` over several lines defines. */
  readonly has_constants: boolean
}

const C_LIKE: Language = {
  line_comments: ['//'],
  has_blocks: true,
  long_quotes: [],
  has_bare_functions: true,
  has_constants: false,
}
const SCRIPT: Language = { ...C_LIKE, long_quotes: ['`'], has_constants: true }
const KEYWORDED: Language = {
  ...C_LIKE,
  has_bare_functions: false,
  has_constants: true,
  long_quotes: ['"""'],
}
const HASHED: Language = {
  line_comments: ['#'],
  has_blocks: false,
  long_quotes: [],
  has_bare_functions: false,
  has_constants: false,
}

const LANGUAGES: Record<string, Language> = {
  'ts tsx mts cts js jsx mjs cjs vue svelte astro': SCRIPT,
  'c h cc cpp cxx hpp hh m mm glsl ino cu proto thrift': C_LIKE,
  'java cs dart groovy': { ...C_LIKE, has_kinds_first: true, long_quotes: ['"""'] },
  go: { ...KEYWORDED, long_quotes: ['`'] },
  rs: { ...KEYWORDED, long_quotes: ['"'], has_rust_texts: true },
  'zig kt kts swift scala sol graphql gql v odin': KEYWORDED,
  php: { ...C_LIKE, has_bare_functions: false, line_comments: ['//', '#'] },
  'py pyi pyx': { ...HASHED, long_quotes: ['"""', "'''"] },
  'rb ex exs jl nim cr r pl pm': { ...HASHED, long_quotes: ['"""'] },
  'sh bash zsh fish': { ...HASHED, has_bare_functions: true },
  'lua sql hs elm': { ...HASHED, line_comments: ['--'], has_blocks: true },
}

const BY_EXTENSION = new Map(
  Object.entries(LANGUAGES).flatMap(([names, language]) => names.split(' ').map((name) => [name, language])),
)

/** The language of a path, by the end of its name. */
export function findLanguage(path: string): Language | undefined {
  return BY_EXTENSION.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '')
}
