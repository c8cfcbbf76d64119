import { posix } from 'node:path'
import type { Guard } from '../../../../platform/guard/guard.ts'
import type { Redactor } from '../../../../platform/redaction/redactor.ts'
import { type ScannedSource, type SourceScan, scanSources } from '../usage/source-scan.ts'
import type { TestsEnd } from '../usage/tree-job.ts'
import { findImportLanguage } from './import-names.ts'
import { findCrate, type ImportTarget, isImportOf, rustModuleOf } from './import-target.ts'
import {
  findTestedName,
  foldStem,
  isStanding,
  isTestPath,
  likenessOfPlaces,
  sourceNames,
  stemOf,
} from './test-names.ts'

/** A test and what speaks for it. */
export interface RelatedTest {
  readonly path: string
  readonly reasons: readonly string[]
  /** From 0 to 1. */
  readonly score: number
}

const HOPS_LIMIT = 200
/** Indexes of indexes. */
const HANDING_DEPTH = 4

const ITSELF = 1
const INLINE = 0.95
const DIRECT = 0.9
/** A package of Go may have many files; the test of one of them lies beside it. */
const WHOLE_PACKAGE = 0.7
const HANDED_ON = 0.65
const ONE_HOP = 0.4
const SAME_PACKAGE = 0.3
const SAME_PACKAGE_NAMED = 0.6
const NAME_AT_MOST = 0.8
const NAME_AT_LEAST = 0.35

type Note = (path: string, reason: string, score: number) => void

/** Reads a service and finds the tests of one of its files. */
export function findTests(guard: Guard, file_path: string, redactor: Redactor): TestsEnd {
  const scan = scanSources(guard, file_path, redactor)
  return { tests: relateTests(scan, file_path), capped: scan.capped }
}

/** Which tests belong to a source, by what they import and by their names. */
function relateTests(scan: SourceScan, file_path: string): RelatedTest[] {
  const found = new Map<string, { reasons: string[]; doubt: number }>()
  const note: Note = (path, reason, score) => {
    const kept = found.get(path) ?? { reasons: [], doubt: 1 }
    kept.reasons.push(reason)
    kept.doubt *= 1 - score
    found.set(path, kept)
  }
  const source = scan.sources.find(({ path }) => path === file_path)
  if (isTestPath(file_path)) note(file_path, 'is a test itself', ITSELF)
  if (source?.has_inline_tests && !isTestPath(file_path))
    note(file_path, 'has tests of its own in it', INLINE)
  if (source) noteImports(scan, source, note)
  noteNames(scan, file_path, note)
  return [...found].map(([path, { reasons, doubt }]) => ({ path, reasons, score: rounded(1 - doubt) }))
}

/** Two digits are enough for an order. */
export function rounded(score: number): number {
  return Math.round(score * 100) / 100
}

function noteImports(scan: SourceScan, source: ScannedSource, note: Note): void {
  const target = targetOf(scan, source)
  const direct = scan.sources.filter((one) => one.imports.some((spec) => isImportOf(one, spec, target)))
  const seen = new Set<string>([source.path])
  for (const { path } of direct.filter((one) => isTestPath(one.path))) {
    seen.add(path)
    if (source.language === 'go') note(path, `imports the package of ${source.path}`, WHOLE_PACKAGE)
    else note(path, `imports ${source.path}`, DIRECT)
  }
  for (const one of scan.sources.filter(({ path }) => isTestPath(path) && !seen.has(path)))
    if (notePackage(one, source, note)) seen.add(one.path)
  const handing = findHanding(scan, source)
  const near = new Set(handing.filter((one) => direct.includes(one)))
  const between = direct.filter((one) => !isTestPath(one.path) && !near.has(one))
  const far = handing.filter((one) => !near.has(one))
  const hops = [...near, ...between, ...far].slice(0, HOPS_LIMIT)
  noteHops(scan, source, hops, { near, far: new Set(far) }, seen, note)
}

/** Files that hand a source on as their own, and those that hand these on in turn; the nearest first. */
function findHanding(scan: SourceScan, source: ScannedSource): ScannedSource[] {
  const found: ScannedSource[] = []
  let level = [source]
  for (let depth = 0; level.length > 0 && depth < HANDING_DEPTH && found.length < HOPS_LIMIT; depth += 1) {
    const targets = level.map((one) => targetOf(scan, one))
    level = scan.sources.filter(
      (one) =>
        one !== source &&
        isHandedOn(one) &&
        !isTestPath(one.path) &&
        !found.includes(one) &&
        one.re_exports.some((spec) => targets.some((target) => isImportOf(one, spec, target))),
    )
    found.push(...level)
  }
  return found
}

/** Every test is noted once, for the first file that leads it to the source. */
function noteHops(
  scan: SourceScan,
  source: ScannedSource,
  hops: readonly ScannedSource[],
  { near, far }: Readonly<Record<'near' | 'far', ReadonlySet<ScannedSource>>>,
  seen: Set<string>,
  note: Note,
): void {
  for (const hop of hops) {
    const target = targetOf(scan, hop)
    for (const one of scan.sources) {
      if (!isTestPath(one.path) || seen.has(one.path)) continue
      if (!one.imports.some((spec) => isImportOf(one, spec, target))) continue
      seen.add(one.path)
      const does = far.has(hop) ? 'hands on' : 'imports'
      note(one.path, `imports ${hop.path}, which ${does} ${source.path}`, near.has(hop) ? HANDED_ON : ONE_HOP)
    }
  }
}

function targetOf({ sources, modules, aliases }: SourceScan, source: ScannedSource): ImportTarget {
  const crate = source.language === 'rust' ? findCrate(modules, source.path) : undefined
  const own = sources.filter(
    ({ path, language }) =>
      source.language === 'rust' &&
      language === 'rust' &&
      findCrate(modules, path) === crate &&
      !/(?:^|\/)tests\//.test(path),
  )
  return { source, modules, aliases, rust_modules: new Set(own.map(({ path }) => rustModuleOf(path))) }
}

/** A package of Python hands on what its `__init__` imports; other files use it. */
function isHandedOn({ language, path }: ScannedSource): boolean {
  return language !== 'python' || /(?:^|\/)__init__\.pyi?$/.test(path)
}

/** Tests of Go and Java see what is in their own package without importing it. */
function notePackage(test: ScannedSource, source: ScannedSource, note: Note): boolean {
  if (test.language !== source.language || test.package === undefined) return false
  const is_near = posix.dirname(test.path) === posix.dirname(source.path)
  if (source.language === 'go' && is_near && test.package.replace(/_test$/, '') === source.package) {
    note(test.path, `is in the package ${source.package}`, SAME_PACKAGE)
    return true
  }
  if (source.language === 'java' && test.package === source.package && test.mentions) {
    note(test.path, `is in the package ${source.package} and names it`, SAME_PACKAGE_NAMED)
    return true
  }
  return false
}

/** A test belongs to the source of its name that lies nearest to it. */
function noteNames(scan: SourceScan, file_path: string, note: Note): void {
  const names = new Set(sourceNames(file_path).map(foldStem))
  const language = findImportLanguage(file_path)
  const isNamed = (name: string) => names.has(foldStem(name))
  const own = scan.sources.filter((one) => one.language === language).map(({ path }) => path)
  const rivals = own.filter(
    (path) => path !== file_path && !isTestPath(path) && sourceNames(path).some(isNamed),
  )
  const others = scan.other_tests.filter((path) => posix.extname(path) === posix.extname(file_path))
  for (const path of language ? own : others) {
    if (path === file_path || !isTestPath(path) || !isNamed(findTestedName(path) ?? stemOf(path))) continue
    const likeness = likenessOfPlaces(path, file_path)
    // `index` is the name of many: alone, and from elsewhere, it says nothing.
    if (likeness === 0 && isStanding(findTestedName(path) ?? stemOf(path))) continue
    if (rivals.some((rival) => likenessOfPlaces(path, rival) > likeness)) continue
    note(path, 'has its name', NAME_AT_LEAST + (NAME_AT_MOST - NAME_AT_LEAST) * likeness)
  }
}
