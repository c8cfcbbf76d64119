import { glob, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { BuildOptions, Plugin } from 'rolldown'
import { allOperations } from '../src/domains/index.ts'

const ROOT = join(import.meta.dirname, '..')
/** Marks what is required late. */
const LATE = '\0late:'
/** A server's log shows where it failed, so names stay. */
const MINIFY = { compress: true, mangle: false, codegen: true } as const

/**
 * The program: one graph in which each module stands once. What nearly every command needs is one file, and what only
 * some need stands apart by its domain and is read when a command first asks for it.
 */
const PARTS = [
  {
    name: 'start',
    test: /\/(src\/(main|surfaces\/cli\/hub\/local-connection|platform\/storage\/sqlite\/sqlite|domains\/flows\/flow-list)\.ts|node_modules\/zod\/.*)$/,
  },
  { name: 'admin', test: /\/src\/domains\/admin\// },
  { name: 'flows', test: /\/src\/domains\/flows\// },
  { name: 'boundary', test: /\/src\/domains\/boundary\// },
  { name: 'toolbox', test: /\/src\/domains\/toolbox\// },
  { name: 'control', test: /\/src\/domains\/control\// },
  { name: 'commands', test: /\/src\/surfaces\/cli\// },
]

/** Programs of threads and children, each complete in one file: who starts one finds it beside itself under its own name. */
const WORKERS = {
  'pattern-worker': 'src/platform/patterns/pattern-worker.ts',
  'search-worker': 'src/domains/toolbox/search/search-worker.ts',
  'parse-worker': 'src/domains/control/connectors/parse-worker.ts',
  'ast-program': 'src/domains/toolbox/loom/ast/ast-program.ts',
  'tree-program': 'src/domains/toolbox/knowledge/usage/tree-program.ts',
  'knowledge-indexer': 'src/domains/toolbox/knowledge/indexing/knowledge-indexer.ts',
  'index-update': 'src/platform/knowledge/index/index-update.ts',
  'index-bundle': 'src/platform/knowledge/index/index-bundle.ts',
  'index-reader': 'src/platform/knowledge/index/index-reader.ts',
}

/** One program's import of another finds it beside itself, too. */
const separateWorkers: Plugin = {
  name: 'separate-workers',
  resolveId(path, importer, { kind }) {
    if (kind !== 'dynamic-import' || importer === undefined) return undefined
    const file = resolve(dirname(importer), path)
    const name = Object.entries(WORKERS).find(([, source]) => join(ROOT, source) === file)?.[0]
    return name === undefined ? undefined : { id: `./${name}.js`, external: true }
  },
}

/**
 * The driver asks for a whole report on the process to learn which C library it runs on, which a short command feels.
 * Where there is no other than the usual one, its entry for that is what it would choose.
 */
const SQLITE =
  "process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) && " +
  "!['x86_64', 'aarch64'].some((arch) => require('node:fs').existsSync('/lib/ld-musl-' + arch + '.so.1')) " +
  "? 'better-sqlite3/linux-' + process.arch : 'better-sqlite3'"

/**
 * Makes `import` of these a `require` at the moment the importing part first runs. For Node's own modules
 * it also saves what their ESM form costs: all their lazy parts are loaded to list their exports.
 */
function lateRequire(filter: RegExp): Plugin {
  return {
    name: 'late-require',
    resolveId(path, _importer, { kind }) {
      if (!filter.test(path) || path === 'node:module') return undefined
      return kind === 'import-statement' ? `${LATE}${path}` : { id: path, external: true }
    },
    load(id) {
      if (!id.startsWith(LATE)) return undefined
      const path = id.slice(LATE.length)
      const name = path === 'better-sqlite3' ? SQLITE : JSON.stringify(path)
      return { code: `module.exports = require(${name})`, moduleType: 'js' }
    },
  }
}

const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

/**
 * What an installation brings along (`dependencies`) stays outside: it is native, starts threads, or is loaded late and by
 * one path. Every other package is built in, and nothing of it is installed.
 */
const packages: Plugin = {
  name: 'packages',
  async resolveId(path, importer, options) {
    if (importer === undefined || !/^(@[\w-]+\/)?[\w-][\w.-]*(\/|$)/.test(path)) return undefined
    if (path === 'zod') return join(ROOT, 'node_modules/zod/index.js')
    const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
    if (!Object.hasOwn(dependencies, name)) return undefined
    const found = await this.resolve(path, importer, { ...options, skipSelf: true })
    // Another version, which only a package that is built in has, goes in with it.
    const isOurs = !found || found.external || found.id.startsWith(join(ROOT, 'node_modules', name, '/'))
    return isOurs ? { id: path, external: true } : found
  },
}

/**
 * `z.string()` on the named import keeps the whole library with all its languages in the bundle; on a
 * namespace import only what is used stays. They mean the same, so the build turns one into the other.
 */
const onlyUsedZod: Plugin = {
  name: 'only-used-zod',
  transform(text, id) {
    if (!/\/src\/.*\.ts$/.test(id)) return undefined
    return text.replace(/^import \{ z \} from 'zod'$/m, "import * as z from 'zod'")
  },
}

/** Fills in the table of `operations-by-command.ts`: where each offered operation is defined. */
const operationTable: Plugin = {
  name: 'operation-table',
  async load(id) {
    if (!id.endsWith('/operations-by-command.ts')) return undefined
    const code = `export const OPERATIONS_BY_COMMAND = {${(await operationEntries()).join()}}`
    return { code, moduleType: 'ts' }
  },
}

async function operationEntries(): Promise<string[]> {
  const entries = new Map<string, string>()
  for await (const file of glob('src/domains/**/*.ts', { cwd: ROOT })) {
    if (/\.(test|fixture)\.ts$/.test(file)) continue
    const path = join(ROOT, file)
    // Only these are loaded: a program of a child or a thread would begin its work.
    if (!/define\w*Operation\(/.test(await readFile(path, 'utf8'))) continue
    const exported = Object.entries((await import(path)) as Record<string, unknown>)
    for (const [member, value] of exported.flatMap(singleOut)) {
      const operation = allOperations.find((candidate) => candidate === value)
      if (!operation?.cli) continue
      const command = operation.cli.replace(/ <.*$/, '')
      entries.set(command, `async()=>(await import(${JSON.stringify(path)})).${member}`)
    }
  }
  return [...entries].map(([command, load]) => `${JSON.stringify(command)}:${load}`).toSorted()
}

/** Some operations are exported together, as a list. */
function singleOut([name, value]: [string, unknown]): [string, unknown][] {
  return Array.isArray(value) ? value.map((one, at) => [`${name}[${at}]`, one]) : [[name, value]]
}

const common = {
  cwd: ROOT,
  platform: 'node',
  logLevel: 'warn',
  transform: { target: 'node22' },
  // A module runs when something asks for it, after all that it imports.
  output: { format: 'esm', strictExecutionOrder: true, minify: MINIFY },
  checks: { ineffectiveDynamicImport: false },
} satisfies BuildOptions

/** How the program is built. */
export const PROGRAM: BuildOptions = {
  ...common,
  input: { main: 'src/main.ts' },
  plugins: [
    separateWorkers,
    lateRequire(/^(better-sqlite3|croner|pg|yaml|node:.*)$/),
    packages,
    operationTable,
    onlyUsedZod,
  ],
  output: {
    ...common.output,
    chunkFileNames: 'part-[name].js',
    codeSplitting: { groups: PARTS.map((part, at) => ({ ...part, priority: PARTS.length - at })) },
  },
}

/** How what runs or is imported apart is built: each complete in one file. */
export const SINGLE_FILES: readonly BuildOptions[] = [
  ...Object.entries(WORKERS).map(([name, input]) =>
    singleFile({ [name]: input }, lateRequire(/^(better-sqlite3|pg|yaml|node:.*)$/)),
  ),
  singleFile({ client: 'src/client/index.ts' }),
  singleFile({ boundary: 'src/boundary/index.ts' }),
]

function singleFile(input: Record<string, string>, ...plugins: Plugin[]): BuildOptions {
  return {
    ...common,
    input,
    plugins: [separateWorkers, ...plugins, packages, onlyUsedZod],
    output: { ...common.output, codeSplitting: false },
  }
}
