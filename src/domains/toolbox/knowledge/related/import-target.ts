import { posix } from 'node:path'
import type { ScannedModule, ScannedSource } from '../usage/source-scan.ts'
import { aliasedPaths, type ScriptAliases } from './script-aliases.ts'

/** The file that imports are compared with. */
export interface ImportTarget {
  readonly source: Pick<ScannedSource, 'path' | 'language' | 'package'>
  readonly modules: readonly ScannedModule[]
  readonly aliases: readonly ScriptAliases[]
  /** Of the files of its crate, as `a/b`. */
  readonly rust_modules: ReadonlySet<string>
}

/** Whether something that a file imports is the target. */
export function isImportOf(importer: ScannedSource, spec: string, target: ImportTarget): boolean {
  if (importer.language !== target.source.language || importer.path === target.source.path) return false
  switch (importer.language) {
    case 'script':
      return isScriptImport(importer.path, spec, target)
    case 'python':
      return isPythonImport(importer.path, spec, target.source.path)
    case 'go':
      return isGoImport(spec, target)
    case 'rust':
      return isRustImport(importer.path, spec, target)
    case 'java':
      return isJavaImport(importer, spec, target.source.path)
  }
}

const withoutEnding = (path: string) => path.replace(/\.d\.ts$|\.[cm]?[jt]sx?$|\.pyi?$/i, '')
const folderOf = (path: string) => {
  const folder = posix.dirname(path)
  return folder === '.' ? '' : folder
}

function endsWithPath(path: string, end: string): boolean {
  return path === end || path.endsWith(`/${end}`)
}

/**
 * `./x`, `./x.js` that is `x.ts`, a folder that is its index, a name that the compiler is told of, `@/x`, and the
 * package by its own name.
 */
function isScriptImport(importer: string, spec: string, { source, modules, aliases }: ImportTarget): boolean {
  const target = withoutEnding(source.path)
  const is_index = posix.basename(target) === 'index'
  const isIt = (path: string) =>
    withoutEnding(path) === target || (is_index && path.replace(/^\.\/?$|\/$/, '') === folderOf(source.path))
  if (/^\.\.?(?:\/|$)/.test(spec)) return isIt(posix.join(posix.dirname(importer), spec))
  const above = aliases.filter(({ folder }) => isBelow(importer, folder))
  if (above.some((one) => aliasedPaths(one, spec).some(isIt))) return true
  const rest = /^(?:[@~#]\/|\/)(.+)$/.exec(spec)?.[1] ?? (spec.startsWith('src/') ? spec : undefined)
  if (rest !== undefined)
    return [target, is_index ? folderOf(target) : target].some((path) =>
      endsWithPath(path, withoutEnding(rest)),
    )
  const own = modules.find(
    ({ language, name, folder }) =>
      language === 'script' && isBelow(source.path, folder) && (spec === name || spec.startsWith(`${name}/`)),
  )
  if (!own) return false
  const below = spec.slice(own.name.length + 1)
  // The bare name means the beginning of the package; a further index in it is that of a folder.
  if (below === '') return isBeginning(target, own.folder) || own.entries.some(isIt)
  return [target, is_index ? folderOf(target) : target].some((path) =>
    endsWithPath(path, withoutEnding(below)),
  )
}

function isBeginning(target: string, folder: string): boolean {
  const inside = folder === '' ? target : target.slice(folder.length + 1)
  return /^(?:(?:src|lib|source)\/)?(?:index|main|mod)$/.test(inside)
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`)
}

/** Modules count from whatever folder is on the path; a single name only from the top, or from beside. */
function isPythonImport(importer: string, spec: string, source: string): boolean {
  const target = withoutEnding(source).replace(/(?:^|\/)__init__$/, '')
  const dots = /^\.*/.exec(spec)?.[0].length ?? 0
  const names = spec.slice(dots).split('.').filter(Boolean)
  if (dots > 0) {
    const up = Array.from({ length: dots - 1 }, () => '..')
    return posix.join(folderOf(importer) || '.', ...up, ...names) === (target || '.')
  }
  const path = names.join('/')
  if (names.length !== 1) return path !== '' && endsWithPath(target, path)
  const place = folderOf(target)
  return endsWithPath(target, path) && (/^(?:src|lib|app)?$/.test(place) || place === folderOf(importer))
}

function innermost(
  modules: readonly ScannedModule[],
  language: string,
  path: string,
): ScannedModule | undefined {
  return modules
    .filter((module) => module.language === language && isBelow(path, module.folder))
    .toSorted((one, other) => other.folder.length - one.folder.length)[0]
}

function isGoImport(spec: string, { source, modules }: ImportTarget): boolean {
  const folder = folderOf(source.path)
  const own = innermost(modules, 'go', source.path)
  if (!own) return folder !== '' && endsWithPath(spec, folder)
  const below = own.folder === '' ? folder : folder.slice(own.folder.length + 1)
  return spec === (below === '' ? own.name : `${own.name}/${below}`)
}

/** The path of a Rust file as a module of its crate: `a/b` for `src/a/b.rs` and `src/a/b/mod.rs`. */
export function rustModuleOf(path: string): string {
  const inside = path.replace(/^(?:.*\/)?src\//, '').replace(/\.rs$/, '')
  return inside.replace(/(?:^|\/)(?:mod|lib|main)$/, '')
}

/** The crate that a file belongs to: the innermost folder with a manifest. */
export function findCrate(modules: readonly ScannedModule[], path: string): ScannedModule | undefined {
  return innermost(modules, 'rust', path)
}

/** The file of the longest module that the path goes through. */
function isRustImport(
  importer: string,
  spec: string,
  { source, modules, rust_modules }: ImportTarget,
): boolean {
  const names = spec.split('::').filter((name) => name !== '')
  const crate = findCrate(modules, source.path)
  const is_called = crate !== undefined && names[0] === crate.name.replaceAll('-', '_')
  // Any other path counts from a file of the same crate; its tests folder is a crate of its own.
  const is_inside =
    findCrate(modules, importer) === crate && !/(?:^|\/)(?:tests|benches|examples)\//.test(importer)
  if (!is_called && !is_inside) return false
  const is_rooted = is_called || names[0] === 'crate'
  const path = is_rooted ? names.slice(1) : pathFrom(rustModuleOf(importer).split('/').filter(Boolean), names)
  // Only a path from the crate's own name can mean its root.
  for (let length = path.length; length >= (is_rooted ? 0 : 1); length -= 1) {
    const module = path.slice(0, length).join('/')
    if (rust_modules.has(module)) return module === rustModuleOf(source.path)
  }
  return false
}

/** `self::a`, `super::a` and plain `a`, from the module that says so. */
function pathFrom(here: readonly string[], names: readonly string[]): string[] {
  if (names[0] === 'self') return [...here, ...names.slice(1)]
  const ups = names.findIndex((name) => name !== 'super')
  const count = ups < 0 ? names.length : ups
  return [...here.slice(0, here.length - count), ...names.slice(count)]
}

function isJavaImport(importer: ScannedSource, spec: string, source: string): boolean {
  const path = spec.replaceAll('.', '/')
  if (path.endsWith('/*')) {
    const above = path.slice(0, -2)
    return (
      endsWithPath(source, `${above}.java`) || (importer.mentions && endsWithPath(folderOf(source), above))
    )
  }
  return endsWithPath(source, `${path}.java`) || endsWithPath(source, `${posix.dirname(path)}.java`)
}
