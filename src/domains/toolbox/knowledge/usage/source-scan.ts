import { posix } from 'node:path'
import type { Guard } from '../../../../platform/guard/guard.ts'
import type { Redactor } from '../../../../platform/redaction/redactor.ts'
import { veilSecrets } from '../../../../platform/redaction/veil.ts'
import { findTextBytes } from '../../search/search-part.ts'
import {
  findImportLanguage,
  type ImportLanguage,
  type Imports,
  readImports,
} from '../related/import-names.ts'
import { isAliasFile, readAliases, type ScriptAliases } from '../related/script-aliases.ts'
import { isTestPath, stemOf } from '../related/test-names.ts'
import { FILES_LIMIT, TREE_TIME_LIMIT_MS } from './tree-limits.ts'

const SOURCE_MAX_BYTES = 512 * 1024
const SOURCES_LIMIT = 20_000
const MANIFEST_MAX_BYTES = 256 * 1024

/** A source file and what it imports. */
export interface ScannedSource extends Imports {
  readonly path: string
  readonly language: ImportLanguage
  /** Whether the name of the source in question is somewhere in it; only of Java is that asked. */
  readonly mentions: boolean
}

/** What a manifest says that the code below its folder is called by others. */
export interface ScannedModule {
  readonly folder: string
  readonly language: ImportLanguage
  readonly name: string
  /** Files that stand for all of it, as paths; only of packages of scripts. */
  readonly entries: readonly string[]
}

/** What is needed to tell which tests belong to a source. */
export interface SourceScan {
  readonly sources: readonly ScannedSource[]
  readonly modules: readonly ScannedModule[]
  readonly aliases: readonly ScriptAliases[]
  /** Tests of languages whose imports are not read. */
  readonly other_tests: readonly string[]
  readonly capped: boolean
}

const MANIFESTS: Readonly<Record<string, readonly [ImportLanguage, RegExp]>> = {
  'go.mod': ['go', /^module[ \t]{1,20}"?([^\s"]{1,500})/m],
  'Cargo.toml': ['rust', /^\[package\][^[]{0,2000}?^name[ \t]{0,20}=[ \t]{0,20}"([^"\n]{1,200})"/m],
}
const PACKAGE = 'package.json'

/** Reads the sources of a service. */
export function scanSources(guard: Guard, file_path: string, redactor: Redactor): SourceScan {
  const sources: ScannedSource[] = []
  const modules: ScannedModule[] = []
  const aliases: ScriptAliases[] = []
  const other_tests: string[] = []
  const ends_at = performance.now() + TREE_TIME_LIMIT_MS
  const stem = stemOf(file_path)
  let met = 0
  let is_full = false
  const { capped } = guard.walk('.', { recursive: true }, (file) => {
    met += 1
    is_full = met > FILES_LIMIT || sources.length >= SOURCES_LIMIT || performance.now() > ends_at
    if (is_full) return 'stop'
    const { path } = file
    const language = findImportLanguage(path)
    const name = posix.basename(path)
    if (language) {
      const text = textOf(file.read(SOURCE_MAX_BYTES))
      if (text) {
        const read = readImports(language, text.toString('utf8'))
        const mentions = language === 'java' && isNamedIn(text, stem, redactor)
        sources.push({ path, language, ...read, mentions })
      }
    } else if (name === PACKAGE || Object.hasOwn(MANIFESTS, name)) {
      const module = readModule(path, name, textOf(file.read(MANIFEST_MAX_BYTES)))
      if (module) modules.push(module)
    } else if (isAliasFile(name)) {
      const text = textOf(file.read(MANIFEST_MAX_BYTES))
      const read = text && readAliases(folderOf(path), text.toString('utf8'))
      if (read) aliases.push(read)
    } else if (isTestPath(path)) other_tests.push(path)
    return 'go_on'
  })
  return { sources, modules, aliases, other_tests, capped: capped || is_full }
}

/** What is hidden names nothing: otherwise files of many names could be used to guess it. */
function isNamedIn(text: Buffer, stem: string, redactor: Redactor): boolean {
  return text.includes(stem) && veilSecrets(redactor, text.toString('utf8')).text.includes(stem)
}

function textOf(bytes: Buffer | undefined): Buffer | undefined {
  return bytes && findTextBytes(bytes)
}

function readModule(path: string, file_name: string, text: Buffer | undefined): ScannedModule | undefined {
  if (text === undefined) return undefined
  if (file_name === PACKAGE) return readPackage(folderOf(path), text.toString('utf8'))
  const [language, form] = MANIFESTS[file_name] as (typeof MANIFESTS)[string]
  const name = form.exec(text.toString('utf8'))?.[1]
  return name ? { folder: folderOf(path), language, name, entries: [] } : undefined
}

function readPackage(folder: string, text: string): ScannedModule | undefined {
  try {
    const { name, main, module, exports } = JSON.parse(text) as Record<string, unknown>
    if (typeof name !== 'string' || name === '') return undefined
    const whole = typeof exports === 'object' && exports !== null ? Reflect.get(exports, '.') : exports
    const entries = [main, module, ...pathsOf(whole)].filter((path) => typeof path === 'string')
    return { folder, language: 'script', name, entries: entries.map((path) => posix.join(folder, path)) }
  } catch {
    // One that cannot be read gives nothing a name.
    return undefined
  }
}

const CONDITIONS_LIMIT = 50

/** What `exports` leads to under its conditions, such as `import` and `types`, in whatever depth. */
function pathsOf(value: unknown): string[] {
  const found: string[] = []
  const open: unknown[] = [value]
  for (let at = 0; at < open.length && at < CONDITIONS_LIMIT; at += 1) {
    const one = open[at]
    if (typeof one === 'string') found.push(one)
    else if (typeof one === 'object' && one !== null) open.push(...Object.values(one))
  }
  return found
}

function folderOf(path: string): string {
  const folder = posix.dirname(path)
  return folder === '.' ? '' : folder
}
