import { posix } from 'node:path'
import { parse as parseYaml } from 'yaml'

/** What a manifest says of its service. */
export interface ManifestFacts {
  /** What others call it by. */
  readonly names: readonly string[]
  /** Names of what it needs; most are not of this project. */
  readonly needs: readonly string[]
  /** Folders of what it needs, relative to its own. */
  readonly needed_paths: readonly string[]
  readonly entry_points: readonly string[]
  /** Where its kind begins by custom: it does if the file is there. */
  readonly usual_entries: readonly string[]
  /** Whether it holds others below its folder together. */
  readonly is_frame: boolean
}

const LIST_LIMIT = 500
const NOTHING: ManifestFacts = {
  names: [],
  needs: [],
  needed_paths: [],
  entry_points: [],
  usual_entries: [],
  is_frame: false,
}

/** A list may stand in one line or in many; what is in quotes may have brackets. */
const PYTHON_LIST =
  /^([\w-]{1,100})[ \t]{0,20}=[ \t]{0,20}\[((?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[^\]"']){0,5000})\]/gm

type Read = (text: string, path: string) => Partial<ManifestFacts>

const READERS: Readonly<Record<string, Read>> = {
  'package.json': readPackage,
  'pyproject.toml': (text) => ({
    names: all(text, /^name[ \t]{0,20}=[ \t]{0,20}["']([^"'\n]{1,200})["']/gm).slice(0, 1),
    needs: [
      ...all(text, /^[ \t]{0,200}["']([\w.-]{1,200})[^"'\n]{0,200}["'],?[ \t]{0,20}$/gm),
      ...all(text, /^([\w.-]{1,200})[ \t]{0,20}=[ \t]{0,20}[{"'^~*]/gm),
      ...listedNeeds(section(text, 'project'), /^dependencies$/),
      ...listedNeeds(section(text, 'project.optional-dependencies'), /./),
      ...listedNeeds(section(text, 'dependency-groups'), /./),
    ],
    needed_paths: all(text, /\bpath[ \t]{0,20}=[ \t]{0,20}["']([^"'\n]{1,300})["']/g),
    entry_points: all(
      section(text, 'project.scripts') + section(text, 'tool.poetry.scripts'),
      /=[ \t]{0,20}["']([^"'\n]{1,200})["']/g,
    ),
  }),
  'requirements.txt': (text) => ({
    needs: all(text, /^([\w.-]{1,200})/gm),
    needed_paths: all(text, /^(?:-e\s{1,10})?(\.{1,2}\/[^\s#]{1,300})/gm),
  }),
  'Cargo.toml': (text) => ({
    names: all(section(text, 'package'), /^name[ \t]{0,20}=[ \t]{0,20}"([^"\n]{1,200})"/gm).slice(0, 1),
    needs: all(withoutTests(text), /^([\w-]{1,200})(?:\.workspace)?[ \t]{0,20}=/gm),
    needed_paths: all(withoutTests(text), /\bpath[ \t]{0,20}=[ \t]{0,20}"(\.[^"\n]{1,300})"/g),
    entry_points: all(tables(text, 'bin'), /^path[ \t]{0,20}=[ \t]{0,20}"([^"\n]{1,300})"/gm),
    is_frame: /\bmembers\b/.test(section(text, 'workspace')),
  }),
  'go.mod': (text) => ({
    names: all(text, /^module\s{1,20}(\S{1,300})/gm),
    needs: all(text, /^[ \t]{0,200}(?:require\s{1,20})?([\w.-]{1,200}\/\S{1,300})\s{1,20}v/gm),
    needed_paths: all(text, /=>\s{0,20}(\.{1,2}\/\S{0,300})/g),
  }),
  'pom.xml': (text) => ({
    names: all(text.replace(/<parent>[\s\S]{0,2000}?<\/parent>/, ''), /<artifactId>([^<]{1,200})</g).slice(
      0,
      1,
    ),
    needs: all(text, /<artifactId>([^<]{1,200})</g).slice(1),
    entry_points: all(text, /<mainClass>([^<]{1,300})</g),
    is_frame: /<module>/.test(text),
  }),
  'build.gradle': readGradle,
  'build.gradle.kts': readGradle,
  'composer.json': readComposer,
  'build.zig': (text) => ({
    entry_points: all(
      text,
      /\badd(?:Executable|Library|StaticLibrary|SharedLibrary|Module)\b[^"]{0,100}(?:"[^"\n]{0,100}"[^"]{0,200}?root_source_file[^"]{0,60}|root_source_file[^"]{0,60})"([^"{}\n]{1,300})"/g,
    ),
  }),
  'build.zig.zon': (text) => ({
    names: all(text, /^\s{0,8}\.name\s{0,5}=\s{0,5}\.?@?"?([\w-]{1,200})/gm).slice(0, 1),
    needed_paths: all(text, /\.path\s{0,5}=\s{0,5}"([^"\n]{1,300})"/g),
  }),
}

/** Reads a manifest; one that cannot be read says nothing. */
export function readManifest(path: string, text: string): ManifestFacts {
  const name = posix.basename(path)
  const by_ending = name.endsWith('proj') ? readDotnet : name.endsWith('.gemspec') ? readGem : undefined
  const read = by_ending ?? (Object.hasOwn(READERS, name) ? READERS[name] : undefined)
  try {
    return { ...NOTHING, ...read?.(text, path) }
  } catch {
    return NOTHING
  }
}

function all(text: string, form: RegExp): string[] {
  const found = new Set<string>()
  for (const match of text.matchAll(form)) {
    if (match[1]) found.add(match[1].trim())
    if (found.size >= LIST_LIMIT) break
  }
  return [...found]
}

/** The names in the lists of a table of `pyproject.toml`. */
function listedNeeds(table: string, keys: RegExp): string[] {
  const lists = [...table.matchAll(PYTHON_LIST)].filter(([, key]) => keys.test(key ?? ''))
  return lists.flatMap(([, , list]) => all(list ?? '', /["']([\w.-]{1,200})/g))
}

/** The lines of one table of a TOML file. */
function section(text: string, name: string): string {
  const start = text.indexOf(`[${name}]`)
  if (start < 0) return ''
  return beforeTable(text.slice(start + name.length + 2))
}

/** The lines of all tables of a name that may come several times. */
function tables(text: string, name: string): string {
  const parts = text.split(/^\[\[([\w.-]{1,100})\]\][ \t]{0,20}$/m)
  return parts
    .flatMap((part, at) => (parts[at - 1] === name && at % 2 === 0 ? beforeTable(part) : []))
    .join('\n')
}

/** A crate may be tested with the one that is built on it: that is no need of the crate itself. */
function withoutTests(text: string): string {
  const parts = text.split(/^(?=\[)/m)
  return parts.filter((part) => !/^\[[^\]\n]{0,200}dev-dependencies/.test(part)).join('')
}

function beforeTable(text: string): string {
  const end = text.search(/^\[/m)
  return end < 0 ? text : text.slice(0, end)
}

/** A part of a build with Gradle is called by its path, or by a property made of it: `:core:data-store`, `core.dataStore`. */
function readGradle(text: string, path: string): Partial<ManifestFacts> {
  const own = posix.basename(posix.dirname(path))
  const projects = [
    ...all(text, /project\s{0,5}\(\s{0,5}(?:path\s{0,5}[:=]\s{0,5})?["']:?([^"'\n]{1,200})["']/g),
    ...all(text, /\bprojects\.([\w.]{1,200})/g),
  ]
  const is_app = /com\.android\.application/.test(text)
  return {
    names: [own, own.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())],
    needs: projects.map((name) => name.split(/[:.]/).at(-1) ?? name),
    entry_points: all(text, /mainClass(?:Name)?\s{0,5}(?:\.set\s{0,5}\(|=)\s{0,5}["']([^"'\n]{1,300})["']/g),
    usual_entries: is_app ? ['src/main/AndroidManifest.xml'] : [],
  }
}

function readGem(text: string): Partial<ManifestFacts> {
  const folder = /\bbindir\s{0,20}=\s{0,20}["']([\w./-]{1,100})["']/.exec(text)?.[1] ?? 'bin'
  const [, listed = ''] = /\bexecutables\s{0,20}(?:=|<<)\s{0,20}([^\n]{1,1000})/.exec(text) ?? []
  const programs = listed.startsWith('%w')
    ? all(listed.slice(3), /([\w.-]{1,100})/g)
    : all(listed, /["']([\w.-]{1,100})["']/g)
  return {
    names: all(text, /\b(?:name\s{0,20}=|Specification\.new)[\s(]{0,20}["']([\w.-]{1,200})["']/g).slice(0, 1),
    needs: all(text, /\badd_(?:runtime_)?dependency\s{0,5}\(?\s{0,5}["']([\w.-]{1,200})["']/g),
    entry_points: programs.map((program) => `${folder}/${program}`),
  }
}

function readDotnet(text: string, path: string): Partial<ManifestFacts> {
  const name = posix.basename(path).replace(/\.\w+$/, '')
  const runs = /<OutputType>\s*(?:Win)?Exe\b|Sdk="Microsoft\.NET\.Sdk\.(?:Web|Worker)"/i.test(text)
  const needed = all(text, /<ProjectReference\s[^>]{0,300}Include="([^"\n]{1,300})"/g)
  return {
    names: [name, ...all(text, /<(?:AssemblyName|PackageId)>([^<]{1,200})</g)],
    needs: all(text, /<PackageReference\s[^>]{0,300}Include="([^"\n]{1,200})"/g),
    needed_paths: needed.map((file) => posix.dirname(file.replaceAll('\\', '/'))),
    entry_points: runs ? [`Program.${path.slice(-6, -4)}`] : [],
  }
}

function readComposer(text: string): Partial<ManifestFacts> {
  const { name, bin, require, repositories, ...rest } = JSON.parse(text) as Record<string, unknown>
  const needs = [require, rest['require-dev']].flatMap((list) => Object.keys((list as object | null) ?? {}))
  const places = Object.values((repositories as object | null) ?? {}) as { type?: unknown; url?: unknown }[]
  return {
    names: isText(name) ? [name] : [],
    needs: needs.slice(0, LIST_LIMIT),
    needed_paths: places.flatMap(({ type, url }) => (type === 'path' && isText(url) ? [url] : [])),
    entry_points: [bin].flat().filter(isText),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 500

function readPackage(text: string): Partial<ManifestFacts> {
  const {
    name,
    main,
    bin,
    workspaces,
    dependencies,
    devDependencies,
    peerDependencies,
    optionalDependencies,
  } = JSON.parse(text) as Record<string, unknown>
  const needs = [dependencies, devDependencies, peerDependencies, optionalDependencies].flatMap((list) =>
    list !== null && typeof list === 'object' ? Object.entries(list) : [],
  )
  const paths = needs.flatMap(([, version]) =>
    isText(version) ? (/^(?:file|link|portal):(.+)$/.exec(version)?.[1] ?? []) : [],
  )
  const programs = bin !== null && typeof bin === 'object' ? Object.values(bin) : [bin]
  return {
    names: isText(name) ? [name] : [],
    is_frame: workspaces !== undefined && workspaces !== null,
    needs: needs.map(([need]) => need).slice(0, LIST_LIMIT),
    needed_paths: paths.slice(0, LIST_LIMIT),
    entry_points: [main, ...programs]
      .filter(isText)
      .map((path) => posix.normalize(path))
      .slice(0, 20),
  }
}

/** A service of a compose file: the folder it is built from, and which others it waits for. */
export interface ComposedService {
  readonly name: string
  readonly folder: string | undefined
  readonly needs: readonly string[]
}

/** Reads a compose file; nothing from one that cannot be read. */
export function readCompose(text: string): ComposedService[] {
  try {
    const { services } = parseYaml(text, { maxAliasCount: 100 }) as { services?: Record<string, unknown> }
    return Object.entries(services ?? {})
      .slice(0, LIST_LIMIT)
      .map(([name, given]) => composed(name, given))
  } catch {
    return []
  }
}

function composed(name: string, given: unknown): ComposedService {
  const { build, depends_on } = (given ?? {}) as { build?: unknown; depends_on?: unknown }
  const context = isText(build) ? build : (build as { context?: unknown } | null | undefined)?.context
  const needs = Array.isArray(depends_on)
    ? depends_on
    : Object.keys((depends_on as object | null | undefined) ?? {})
  return { name, folder: isText(context) ? posix.normalize(context) : undefined, needs: needs.filter(isText) }
}
