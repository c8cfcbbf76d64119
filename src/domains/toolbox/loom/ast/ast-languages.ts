import { extname } from 'node:path'

/** A language that patterns can be written for. */
export interface AstLanguage {
  /** As the parser calls it. */
  readonly name: string
  /** A letter of names in this language, where `$` is none: it takes the place of `$` while a pattern is parsed. */
  readonly sigil: string
  /**
   * What a pattern is read in, in turn, until it makes sense and finds something: by itself, or as part of
   * something that lets the parser see what it is.
   */
  readonly settings: readonly (readonly [before: string, after: string])[]
}

const ALONE = ['', ''] as const
const IN_CLASS = ['class _ {\n', '\n}'] as const

const SCRIPT = { sigil: '$', settings: [ALONE, IN_CLASS] } as const
const TYPESCRIPT: AstLanguage = { name: 'TypeScript', ...SCRIPT }
const TSX: AstLanguage = { name: 'Tsx', ...SCRIPT }
const JAVASCRIPT: AstLanguage = { name: 'JavaScript', ...SCRIPT }
const PYTHON: AstLanguage = { name: 'python', sigil: 'µ', settings: [ALONE] }
/** A call by itself would be read as the conversion of a type. */
const GO: AstLanguage = { name: 'go', sigil: 'µ', settings: [['func _() {\n', '\n}'], ALONE] }
const RUST: AstLanguage = { name: 'rust', sigil: 'µ', settings: [ALONE, ['fn _() {\n', '\n}']] }
const JAVA: AstLanguage = { name: 'java', sigil: '$', settings: [ALONE, IN_CLASS] }
const HTML: AstLanguage = { name: 'Html', sigil: 'z', settings: [ALONE] }
const CSS: AstLanguage = { name: 'Css', sigil: '_', settings: [ALONE, ['a {\n', '\n}']] }

const BY_EXTENSION: Readonly<Record<string, AstLanguage>> = {
  '.ts': TYPESCRIPT,
  '.mts': TYPESCRIPT,
  '.cts': TYPESCRIPT,
  '.tsx': TSX,
  '.js': JAVASCRIPT,
  '.mjs': JAVASCRIPT,
  '.cjs': JAVASCRIPT,
  '.jsx': JAVASCRIPT,
  '.py': PYTHON,
  '.pyi': PYTHON,
  '.go': GO,
  '.rs': RUST,
  '.java': JAVA,
  '.html': HTML,
  '.htm': HTML,
  '.css': CSS,
}

export const AST_EXTENSIONS: readonly string[] = Object.keys(BY_EXTENSION)

/** The language of a file by the end of its name. */
export function findLanguage(file_name: string): AstLanguage | undefined {
  const extension = extname(file_name).toLowerCase()
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
}
