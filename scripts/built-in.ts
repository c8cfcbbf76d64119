import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/
const LICENCE = /^(licen[cs]e|copying|notice)(\.|-|$)/i

/** The packages of which something went into a build, by their folders. */
export type BuiltIn = Set<string>

/** Notes the packages that files belong to. */
export function noteFiles(built: BuiltIn, files: readonly string[]): void {
  for (const file of files) {
    const folder = packageOf(file)
    if (folder !== undefined) built.add(folder)
  }
}

/** A package may have packages in it that were copied there without saying what they are: they are of that one. */
function packageOf(file: string): string | undefined {
  const [folder] = FOLDER.exec(file) ?? []
  if (folder === undefined || existsSync(join(folder, 'package.json'))) return folder
  return packageOf(folder.slice(0, folder.lastIndexOf('node_modules')))
}

/** Writes which packages are in the build, as `name@version`, and the licences that go with them. */
export function writeBuiltIn(built: BuiltIn, root: string, out: string): void {
  const found = [...built].map((folder) => {
    const place = resolve(root, folder)
    const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
      name: string
      version: string
      license?: string
    }
    return {
      id: `${name}@${version}`,
      text: textsIn(place) || `Its licence is ${license}; it comes without the text.`,
    }
  })
  found.sort((a, b) => (a.id < b.id ? -1 : 1))
  writeFileSync(
    join(out, 'built-in.json'),
    `${JSON.stringify(
      found.map(({ id }) => id),
      null,
      2,
    )}\n`,
  )
  const texts = found.map(({ id, text }) => `${id}\n\n${text}`)
  writeFileSync(join(out, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n`))
}

function textsIn(place: string): string {
  const files = existsSync(place) ? readdirSync(place).filter((name) => LICENCE.test(name)) : []
  return files.map((name) => readFileSync(join(place, name), 'utf8').trim()).join('\n\n')
}
