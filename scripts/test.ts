import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { RunSummary } from '../test/requirements/coverage-reporter.ts'

/**
 * Everything that must hold, in order. Each step and each test counts; nothing is skipped. The last line
 * says how many passed and failed.
 */
const ROOT = join(import.meta.dirname, '..')
const PROGRAMS = [
  { name: 'chromium', path: '/usr/bin/chromium' },
  { name: 'bubblewrap', path: '/usr/bin/bwrap' },
  { name: 'git', path: '/usr/bin/git' },
  { name: 'dovecot-imapd', path: '/usr/lib/dovecot/imap' },
  { name: 'nginx', path: '/usr/sbin/nginx' },
  { name: 'caddy', path: '/usr/bin/caddy' },
  { name: 'systemd', path: '/usr/bin/systemd-analyze' },
  { name: 'openssl', path: '/usr/bin/openssl' },
  { name: 'rsyslog', path: '/usr/sbin/rsyslogd' },
  { name: 'rsyslog-gnutls', path: '/usr/share/doc/rsyslog-gnutls' },
  { name: 'faketime', path: '/usr/bin/faketime' },
  { name: 'gcc', path: '/usr/bin/gcc' },
  { name: 'libc6-dev', path: '/usr/include/stdio.h' },
]
const env = {
  ...process.env,
  PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
}

interface Count {
  passed: number
  failed: number
}

/** Runs a command with its output in sight and answers whether it went well. */
function run(command: string, args: string[], more: NodeJS.ProcessEnv = {}): boolean {
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    env: { ...env, ...more },
    stdio: 'inherit',
  })
  if (error) console.error(`${command} could not be run: ${error.message}`)
  return status === 0
}

function node(...args: string[]): () => boolean {
  return () => run(process.execPath, args)
}

const STEPS: readonly (readonly [string, () => boolean])[] = [
  ['Build', node('scripts/build.ts')],
  ['Types', () => run('tsc', ['--noEmit', '-p', 'tsconfig.json'])],
  ['Types of the API', node('console/scripts/api-types.ts')],
  ['Types of the console', () => run('tsc', ['--noEmit', '-p', 'console/tsconfig.json'])],
  ['Lint', () => run('oxlint', ['--deny-warnings'])],
  ['Format', () => run('biome', ['check'])],
  ['Generated documents', node('scripts/generate.ts', '--check')],
  // What it cannot see, such as packages that are found by a path, stands in knip.json.
  ['Unused files and packages', () => run('knip', [])],
  ['Programs', ensurePrograms],
]

/** The tests use the system's own browser, sandbox, git, mail server and proxies, installed here where that is allowed. */
function ensurePrograms(): boolean {
  const missing = () => PROGRAMS.filter(({ path }) => !existsSync(path))
  if (missing().length > 0 && mayInstall()) {
    const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
    const packages = missing().map(({ name }) => name)
    run('apt-get', ['update', '-qq'], quiet)
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet)
  }
  for (const { name, path } of missing()) {
    console.error(`The package ${name} is missing: ${path} was not found.`)
    console.error(
      `Get it with: apt-get update && apt-get install -y ${name} (as root, on Debian or its kin).`,
    )
  }
  if (missing().length > 0) return false
  console.log(`${PROGRAMS.map(({ path }) => path).join(', ')} are there.`)
  return true
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version')
}

/**
 * Runs all tests. Snapshots are compared, never written. One that fails is tried once more, since the machine may have been
 * busy, and named at the end: a test that needs that is a fault of the test.
 */
function runTests(): Count {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-summary-'))
  const file = join(folder, 'summary.json')
  const reporters = ['--reporter=default', '--reporter=./test/requirements/coverage-reporter.ts']
  try {
    const told = { CI: '1', KNOWTATION_FULL_TEST: '1', KNOWTATION_TEST_SUMMARY: file }
    const isFine = run('vitest', ['run', '--retry=1', ...reporters], told)
    if (!existsSync(file)) return { passed: 0, failed: 1 }
    return countOf(JSON.parse(readFileSync(file, 'utf8')) as RunSummary, isFine)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A test that did not run, a fault outside of tests and a claim without proof each count as failed. */
function countOf(summary: RunSummary, isFine: boolean): Count {
  const { passed, failed, skipped, errors, covered } = summary
  for (const name of skipped) console.error(`Not run: ${name}`)
  const faults = failed + skipped.length + errors + (covered ? 0 : 1)
  return { passed: passed + (covered ? 1 : 0), failed: faults === 0 && !isFine ? 1 : faults }
}

function heading(title: string): void {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 70 - title.length))}`)
}

const count: Count = { passed: 0, failed: 0 }
for (const [title, isFine] of STEPS) {
  heading(title)
  if (isFine()) count.passed++
  else {
    console.error(`${title}: failed`)
    count.failed++
  }
}
heading('Tests')
const tests = runTests()
console.log(`\n${count.passed + tests.passed} passed, ${count.failed + tests.failed} failed`)
process.exitCode = count.failed + tests.failed > 0 ? 1 : 0
