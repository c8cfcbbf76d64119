import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { ROOT } from '../docs/run-guide.fixture.ts'
import { BIN, childEnv, PROGRAM } from '../harness/run-program.ts'

const run = promisify(execFile)
/** Files take whole blocks of the disk. */
const BLOCK_BYTES = 4_096
const QUIET = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']

/** The package as it is handed out, installed in an empty folder with nothing but what it names. */
export interface Installed extends Disposable {
  readonly folder: string
  readonly tarball: string
  /** The folder of the package itself. */
  readonly package: string
  /** Where its programs are, as on the path of whoever installed it. */
  readonly programs: string
}

/** Packs the checkout as it is built, and installs that as `npm install --global` does. No script of any package runs. */
export async function installPackage(): Promise<Installed> {
  if (PROGRAM !== BIN) execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')])
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-package-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      maxBuffer: 16 * 1_048_576,
    })
    const tarball = join(folder, nameOf(JSON.parse(packed.stdout)))
    await run('npm', ['install', '--global', '--omit=dev', '--prefix', folder, ...QUIET, tarball])
    const home = join(folder, 'lib/node_modules/knowtation')
    return { folder, tarball, package: home, programs: join(folder, 'bin'), [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** npm told a list once and tells a table now. */
function nameOf(told: { filename: string }[] | Record<string, { filename: string }>): string {
  const [first] = Object.values(told)
  if (!first) throw new Error('npm packed nothing.')
  return first.filename
}

/** The oldest Node that the package runs on, from the registry as its own lockfile names it. */
export async function installOldestNode(folder: string): Promise<string> {
  const place = join(folder, 'node-22')
  mkdirSync(place)
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(import.meta.dirname, 'node-22', name), join(place, name))
  await run('npm', ['ci', ...QUIET], { cwd: place })
  return join(place, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node')
}

/** All that a folder takes on the disk, in bytes. */
export function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return BLOCK_BYTES + bytesOf(path)
      return Math.ceil(lstatSync(path).size / BLOCK_BYTES) * BLOCK_BYTES
    })
    .reduce((sum, bytes) => sum + bytes, 0)
}

/** What a person has around who installed the package: a home of theirs, an empty folder, and one Node first on the path. */
export interface Person {
  readonly cwd: string
  readonly env: Record<string, string>
}

export function personWith(installed: Installed, node = process.execPath): Person {
  const cwd = mkdtempSync(join(installed.folder, 'person-'))
  const path = [installed.programs, dirname(node), '/usr/bin', '/bin']
  return { cwd, env: childEnv({ HOME: cwd, PATH: path.join(delimiter) }) }
}

/** Runs one program of a person to its end; what it printed. One that fails is an error that says what it said. */
export async function type({ cwd, env }: Person, program: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(program, args, { cwd, env, timeout: 60_000 })
  return stdout
}

/** The hub of a person, on any free port; its address. It ends with the test. */
export async function serve({ cwd, env }: Person): Promise<string> {
  const child = spawn('knowtation', ['serve', '--port', '0', '--log', 'json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill()
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  for await (const line of createInterface(child.stdout)) return (JSON.parse(line) as { url: string }).url
  throw new Error(`The hub did not start: ${said}`)
}

/** Answers of an MCP server that was started by its command, one for each request. */
export async function askStdio({ cwd, env }: Person, requests: readonly object[]): Promise<unknown[]> {
  const child = spawn('knowtation', ['mcp'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill()
  })
  child.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''))
  const answers: unknown[] = []
  const wanted = requests.filter((request) => 'id' in request).length
  for await (const line of createInterface(child.stdout)) {
    answers.push(JSON.parse(line))
    if (answers.length === wanted) break
  }
  return answers
}
