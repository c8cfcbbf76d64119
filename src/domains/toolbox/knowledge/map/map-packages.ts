import { posix } from 'node:path'
import { type ImportLanguage, readImports } from '../related/import-names.ts'
import { isTestPath } from '../related/test-names.ts'
import { firstOf } from './first-of.ts'
import type { MapPackage } from './map-shape.ts'
import type { MapEyes } from './map-survey.ts'

const FILES_LIMIT = 800
const SHOWN_PACKAGES = 80
const ASIDE = /(?:^|\/)(?:_?examples?|tests?|testdata|vendor|\.[^/]+)\//
const STARTS = /^if\s+__name__\s*==\s*['"]__main__/m

/** A file with what it imports, all paths relative to the service. */
interface Source {
  readonly path: string
  readonly imports: readonly string[]
  readonly is_start: boolean
}

/** The packages inside one module of Go or Python: where each begins, and which of the others it needs. */
export function packagesOf(
  eyes: MapEyes,
  service: string,
  files: readonly string[],
  module_name: string | undefined,
): MapPackage[] {
  const below = (file: string) => (service === '.' ? file : file.slice(service.length + 1))
  const wanted = files.map(below).filter((file) => !isTestPath(file) && !ASIDE.test(file))
  const read = (ending: string, language: ImportLanguage) => {
    const own = wanted.filter((file) => file.endsWith(ending))
    return firstOf(eyes, own, FILES_LIMIT).map((file) => readSource(eyes, service, file, language))
  }
  const packages =
    module_name === undefined
      ? pythonPackages(read('.py', 'python'))
      : goPackages(read('.go', 'go'), module_name)
  return firstOf(eyes, packages, SHOWN_PACKAGES)
}

function readSource(eyes: MapEyes, service: string, path: string, language: ImportLanguage): Source {
  const text = eyes.readText(posix.join(service, path)) ?? ''
  const { imports, package: name } = readImports(language, text)
  const is_start = language === 'go' ? name === 'main' : path.endsWith('__main__.py') || STARTS.test(text)
  return { path, imports, is_start }
}

function goPackages(sources: readonly Source[], module_name: string): MapPackage[] {
  const folders = new Set(sources.map(({ path }) => posix.dirname(path)))
  const targetOf = (_: Source, spec: string) => {
    if (spec !== module_name && !spec.startsWith(`${module_name}/`)) return undefined
    const folder = spec.slice(module_name.length + 1) || '.'
    return folders.has(folder) ? folder : undefined
  }
  return join(sources, ({ path }) => posix.dirname(path), targetOf)
}

/** A module with one package is shown by the files of that. */
function pythonPackages(sources: readonly Source[]): MapPackage[] {
  const packages = new Set(
    sources.filter(({ path }) => path.endsWith('__init__.py')).map(({ path }) => posix.dirname(path)),
  )
  const are_files = packages.size <= 1
  const unitOf = ({ path }: Source) => (are_files ? path : posix.dirname(path))
  const units = new Map(
    sources.map((source) => [moduleOf(are_files ? source.path : posix.dirname(source.path)), unitOf(source)]),
  )
  const targetOf = (source: Source, spec: string) => {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(spec) ?? []
    const here = posix.dirname(source.path)
    const base = dots === '' ? '' : moduleOf(posix.join(here, '../'.repeat(dots.length - 1)))
    for (
      let names = [base, rest].filter(Boolean).join('.');
      names !== '';
      names = names.slice(0, Math.max(0, names.lastIndexOf('.')))
    ) {
      const unit = units.get(names)
      if (unit !== undefined) return unit
    }
    return undefined
  }
  const shown = sources.filter(({ path, is_start }) => packages.has(posix.dirname(path)) || is_start)
  return join(shown, unitOf, targetOf)
}

/** A path as Python names it, from wherever its packages begin. */
function moduleOf(path: string): string {
  const plain = path.replace(/(?:\/__init__)?\.py$/, '').replace(/^\.\/?|\/$/g, '')
  return plain.replace(/^(?:src|lib)\//, '').replaceAll('/', '.')
}

function join(
  sources: readonly Source[],
  unitOf: (source: Source) => string,
  targetOf: (source: Source, spec: string) => string | undefined,
): MapPackage[] {
  const groups = Map.groupBy(sources, unitOf)
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, own]) => {
      const needs = own.flatMap((source) => source.imports.map((spec) => targetOf(source, spec)))
      const others = new Set(needs.filter((need) => need !== undefined && need !== path))
      return {
        path,
        entry_points: own
          .filter(({ is_start }) => is_start)
          .map((source) => source.path)
          .toSorted(),
        depends_on: [...others].toSorted() as string[],
      }
    })
}
