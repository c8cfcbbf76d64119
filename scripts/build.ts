import { execFileSync } from 'node:child_process'
import { glob, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { build as buildConsole, type Rollup } from 'vite'
import { allOperations } from '../src/domains/index.ts'
import { type BuiltIn, noteFiles, writeBuiltIn } from './built-in.ts'

const ROOT = join(import.meta.dirname, '..')
const OUT = join(ROOT, 'dist')
/** Built aside first: a build that fails leaves the former one in place. */
const DRAFT = `${OUT}.draft`

/**
 * Programs, each complete in one file. A command line's start is mostly the loading of modules, so `main` is
 * one file whose parts run only when they are first needed, and what needs the libraries of a server is apart.
 * The workers are programs of threads: who starts one finds it beside itself under its own name.
 */
const PROGRAMS = {
  main: 'src/main.ts',
  serve: 'src/surfaces/http/serve.ts',
  mcp: 'src/surfaces/cli/commands/mcp-command.ts',
  'pattern-worker': 'src/platform/patterns/pattern-worker.ts',
  'search-worker': 'src/domains/toolbox/search/search-worker.ts',
  'parse-worker': 'src/domains/control/connectors/parse-worker.ts',
  'ast-program': 'src/domains/toolbox/loom/ast/ast-program.ts',
  'tree-program': 'src/domains/toolbox/knowledge/usage/tree-program.ts',
  'knowledge-indexer': 'src/domains/toolbox/knowledge/indexing/knowledge-indexer.ts',
  'index-update': 'src/platform/knowledge/index/index-update.ts',
  'index-bundle': 'src/platform/knowledge/index/index-bundle.ts',
  'index-reader': 'src/platform/knowledge/index/index-reader.ts',
  'open-tracing': 'src/platform/tracing/open-tracing.ts',
} as const

const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

/**
 * What an installation brings along (`dependencies`) stays outside: it is native, starts threads, or is loaded late and by
 * one path. Every other package is built in, and nothing of it is installed. One that is built in and imported late
 * becomes a file of its own, which all programs load.
 */
function builtIn(late: Set<string>): Plugin {
  return {
    name: 'built-in',
    setup({ onResolve, resolve: find }) {
      onResolve({ filter: /^(@[\w-]+\/)?[\w-][\w.-]*(\/|$)/ }, async ({ path, pluginData, ...asked }) => {
        if (pluginData === 'asked') return undefined
        const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
        const isInstalled = Object.hasOwn(dependencies, name)
        if (!isInstalled && asked.kind === 'dynamic-import' && !asked.importer.includes('node_modules')) {
          late.add(path)
          return { path: lateFile(path), external: true }
        }
        if (!isInstalled) return undefined
        const found = await find(path, { ...asked, pluginData: 'asked' })
        // Another version, which only a package that is built in has, goes in with it.
        const isOurs = found.errors.length > 0 || found.path.startsWith(join(ROOT, 'node_modules', name, '/'))
        return isOurs ? { path, external: true } : undefined
      })
    },
  }
}

function lateFile(path: string): string {
  return `./package-${path.replace(/\W+/g, '-').replace(/^-/, '')}.js`
}

/** Each with the names that it exports for Node: of a package in the old form a bundler cannot tell them. */
async function buildLatePackages(names: ReadonlySet<string>): Promise<void> {
  for (const name of names) {
    const exported = Object.keys((await import(name)) as object).filter((one) => !one.includes('.'))
    const contents = `export { ${exported.join()} } from ${JSON.stringify(name)}`
    await compile({
      stdin: { contents, resolveDir: ROOT },
      entryNames: lateFile(name).replace(/\.js$/, ''),
      plugins: [builtIn(new Set())],
      banner,
    })
  }
}

/** `import('…/serve.ts')` becomes `import('./serve.js')`. */
const separatePrograms: Plugin = {
  name: 'separate-programs',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined
      const file = resolve(resolveDir, path)
      const name = Object.entries(PROGRAMS).find(([, source]) => join(ROOT, source) === file)?.[0]
      return name === undefined ? undefined : { path: `./${name}.js`, external: true }
    })
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
    setup({ onLoad, onResolve }) {
      onResolve({ filter }, ({ kind, path }) => {
        if (path === 'node:module') return undefined
        return kind === 'import-statement' ? { path, namespace: 'late' } : { path, external: true }
      })
      onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
        contents: `module.exports = require(${path === 'better-sqlite3' ? SQLITE : JSON.stringify(path)})`,
        resolveDir: ROOT,
      }))
    },
  }
}

/**
 * `z.string()` on the named import keeps the whole library with all its languages in the bundle; on a
 * namespace import only what is used stays. They mean the same, so the build turns one into the other.
 */
const onlyUsedZod: Plugin = {
  name: 'only-used-zod',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replace(/^import \{ z \} from 'zod'$/m, "import * as z from 'zod'")
      return { loader: 'ts', contents }
    })
  },
}

/** Fills in the table of `operations-by-command.ts`: where each offered operation is defined. */
const operationTable: Plugin = {
  name: 'operation-table',
  setup({ onLoad }) {
    onLoad({ filter: /operations-by-command\.ts$/ }, async () => ({
      loader: 'ts',
      contents: `export const OPERATIONS_BY_COMMAND = {${(await operationEntries()).join()}}`,
    }))
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

const common: BuildOptions = {
  absWorkingDir: ROOT,
  outdir: DRAFT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
}

const packages: BuiltIn = new Set()

/** Builds, and notes the packages of which something went in. */
async function compile(options: BuildOptions): Promise<void> {
  const { outputs } = (await build({ ...common, ...options, metafile: true })).metafile
  const parts = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const used = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file)
  noteFiles(packages, used)
}

/** What a late `require` stands on. */
const banner = {
  js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
}

const {
  main,
  'knowledge-indexer': indexer,
  'index-update': update,
  'index-bundle': bundle,
  'index-reader': reader,
  ...servers
} = PROGRAMS
await rm(DRAFT, { recursive: true, force: true })
const late = new Set<string>()
await compile({
  // A third less to read at each start. A server, whose log shows where it failed, keeps its names.
  minifyIdentifiers: true,
  entryPoints: {
    main,
    'knowledge-indexer': indexer,
    'index-update': update,
    'index-bundle': bundle,
    'index-reader': reader,
  },
  plugins: [
    separatePrograms,
    lateRequire(/^(better-sqlite3|croner|pg|yaml|node:.*)$/),
    operationTable,
    onlyUsedZod,
    builtIn(late),
  ],
  banner,
})
// A server on SQLite never needs the driver of the other database.
await compile({
  entryPoints: servers,
  plugins: [separatePrograms, lateRequire(/^pg$/), onlyUsedZod, builtIn(late)],
  banner,
})
await buildLatePackages(late)
await compile({
  entryPoints: { client: 'src/client/index.ts', boundary: 'src/boundary/index.ts' },
})
// One letter beyond Latin-1 would have the engine keep two bytes for each letter of a program. esbuild writes such letters
// as escapes, but not those of a regular expression, where an escape means the same.
for await (const file of glob('*.js', { cwd: DRAFT })) {
  const text = await readFile(join(DRAFT, file), 'utf8')
  const escaped = text.replace(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  await writeFile(join(DRAFT, file), escaped)
}
// What other programs import comes with its types.
for (const name of ['client', 'boundary']) {
  const flags = ['-p', `tsconfig.${name}.json`, '--outDir', join(DRAFT, name)]
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), flags, { cwd: ROOT, stdio: 'inherit' })
}
// The console is an application of its own.
await buildConsole({
  configFile: join(ROOT, 'console/vite.config.ts'),
  logLevel: 'error',
  build: { outDir: join(DRAFT, 'console') },
  plugins: [{ name: 'noted', generateBundle: (_, made) => noteFiles(packages, modulesOf(made)) }],
})
writeBuiltIn(packages, ROOT, DRAFT)
await rm(OUT, { recursive: true, force: true })
await rename(DRAFT, OUT)
await linkProgram()

/** The files of which something went into the console. */
function modulesOf(made: Rollup.OutputBundle): string[] {
  return Object.values(made).flatMap((part) => ('moduleIds' in part ? part.moduleIds : []))
}

/** npm links the programs of packages, not of the checkout itself: with this, `knowtation` is on its PATH as they are. */
async function linkProgram(): Promise<void> {
  const link = join(ROOT, 'node_modules/.bin/knowtation')
  await rm(link, { force: true })
  await symlink('../../bin/knowtation.js', link)
}
