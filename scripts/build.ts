import { execFileSync } from 'node:child_process'
import { glob, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type OutputAsset, type OutputChunk } from 'rolldown'
import { build as buildConsole } from 'vite'
import { type BuiltIn, noteFiles, writeBuiltIn } from './built-in.ts'
import { PROGRAM, SINGLE_FILES } from './program-graph.ts'

const ROOT = join(import.meta.dirname, '..')
const OUT = join(ROOT, 'dist')
/** Built aside first: a build that fails leaves the former one in place. */
const DRAFT = `${OUT}.draft`

/** The packages of which something went into the build. */
const packages: BuiltIn = new Set()

await rm(DRAFT, { recursive: true, force: true })
for (const options of [PROGRAM, ...SINGLE_FILES]) {
  const { output } = await build({ ...options, output: { ...options.output, dir: DRAFT } })
  noteFiles(packages, filesIn(output))
}
// One letter beyond Latin-1 would have the engine keep two bytes for each letter of a program. It means the same
// as its escape in texts and in regular expressions.
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
  plugins: [
    { name: 'noted', generateBundle: (_, made) => noteFiles(packages, filesIn(Object.values(made))) },
  ],
})
writeBuiltIn(packages, ROOT, DRAFT)
await rm(OUT, { recursive: true, force: true })
await rename(DRAFT, OUT)
await linkProgram()

/** The files of which something is in what was made. */
function filesIn(made: readonly (OutputChunk | OutputAsset)[]): string[] {
  const chunks = made.flatMap((part) => (part.type === 'chunk' ? [part] : []))
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules))
  return modules.flatMap(([file, { renderedLength }]) => (renderedLength > 0 ? [file] : []))
}

/** npm links the programs of packages, not of the checkout itself: with this, `knowtation` is on its PATH as they are. */
async function linkProgram(): Promise<void> {
  const link = join(ROOT, 'node_modules/.bin/knowtation')
  await rm(link, { force: true })
  await symlink('../../bin/knowtation.js', link)
}
