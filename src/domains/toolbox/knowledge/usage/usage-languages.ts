import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { findLanguage } from '../../loom/ast/ast-languages.ts'
import { C_USAGE, CPP_USAGE } from './usage-c.ts'
import { CSHARP_USAGE } from './usage-csharp.ts'
import { GO_USAGE } from './usage-go.ts'
import type { UsageGrammar } from './usage-grammar.ts'
import { JAVA_USAGE } from './usage-java.ts'
import { KOTLIN_USAGE } from './usage-kotlin.ts'
import { PHP_USAGE } from './usage-php.ts'
import { PYTHON_USAGE } from './usage-python.ts'
import { RUBY_USAGE } from './usage-ruby.ts'
import { RUST_USAGE } from './usage-rust.ts'
import { JAVASCRIPT_USAGE, TYPESCRIPT_USAGE } from './usage-script.ts'

/** The languages whose symbols can be found, as callers name them. */
export const USAGE_LANGUAGES = [
  'typescript',
  'javascript',
  'python',
  'go',
  'rust',
  'java',
  'csharp',
  'kotlin',
  'php',
  'ruby',
  'c',
  'cpp',
] as const
export type UsageLanguage = (typeof USAGE_LANGUAGES)[number]

/** How a file is read for its symbols. */
export interface UsageReading {
  readonly language: UsageLanguage
  /** As the parser calls it. */
  readonly parser: string
  readonly grammar: UsageGrammar
}

/** By the name that the parser has for the language. */
const READINGS: Readonly<Record<string, readonly [UsageLanguage, UsageGrammar]>> = {
  TypeScript: ['typescript', TYPESCRIPT_USAGE],
  Tsx: ['typescript', TYPESCRIPT_USAGE],
  JavaScript: ['javascript', JAVASCRIPT_USAGE],
  python: ['python', PYTHON_USAGE],
  go: ['go', GO_USAGE],
  rust: ['rust', RUST_USAGE],
  java: ['java', JAVA_USAGE],
  csharp: ['csharp', CSHARP_USAGE],
  kotlin: ['kotlin', KOTLIN_USAGE],
  php: ['php', PHP_USAGE],
  ruby: ['ruby', RUBY_USAGE],
  c: ['c', C_USAGE],
  cpp: ['cpp', CPP_USAGE],
}

/** Parsers that are too large to come with the hub: they are used where they are installed beside it. */
const ADDED: Readonly<Record<string, string>> = {
  '.cs': 'csharp',
  '.kt': 'kotlin',
  '.kts': 'kotlin',
  '.php': 'php',
  '.rb': 'ruby',
  '.c': 'c',
  '.h': 'cpp',
  '.cpp': 'cpp',
  '.cc': 'cpp',
  '.cxx': 'cpp',
  '.hpp': 'cpp',
  '.hh': 'cpp',
}

/** The package of a parser. */
export function parserPackage(parser: string): string {
  return `@ast-grep/lang-${parser}`
}

/** The package that is missing to read a file so; undefined where it can be read. */
export function findMissing({ parser }: UsageReading): string | undefined {
  if (!Object.values(ADDED).includes(parser)) return undefined
  try {
    createRequire(import.meta.url).resolve(parserPackage(parser))
    return undefined
  } catch {
    return parserPackage(parser)
  }
}

const OTHER_NAMES: Readonly<Record<string, UsageLanguage>> = {
  ts: 'typescript',
  tsx: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  py: 'python',
  golang: 'go',
  rs: 'rust',
  'c#': 'csharp',
  cs: 'csharp',
  kt: 'kotlin',
  rb: 'ruby',
  'c++': 'cpp',
}

/** How a file is read, by the end of its name; undefined for a language without symbols here. */
export function findReading(path: string): UsageReading | undefined {
  const parser = findLanguage(path)?.name ?? ADDED[extname(path).toLowerCase()]
  const reading = parser !== undefined && Object.hasOwn(READINGS, parser) ? READINGS[parser] : undefined
  return reading && parser !== undefined ? { language: reading[0], parser, grammar: reading[1] } : undefined
}

/** The language that a caller names, in any of its names. */
export function findUsageLanguage(name: string): UsageLanguage | undefined {
  const lower = name.toLowerCase()
  if (Object.hasOwn(OTHER_NAMES, lower)) return OTHER_NAMES[lower]
  return USAGE_LANGUAGES.find((language) => language === lower)
}
