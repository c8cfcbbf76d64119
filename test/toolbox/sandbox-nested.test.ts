import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { OWNER_ENV } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { faultOf, makeService, NODE_CONFIG, type TestService } from './commands-service.fixture.ts'
import { runHostile } from './sandbox-hostile.fixture.ts'

let service: TestService
beforeEach(() => {
  service = makeService()
})
afterEach(() => service.remove())

function git(folder: string, ...args: string[]): void {
  const options = ['-c', 'protocol.file.allow=always', '-C', folder, ...args]
  const { status, stderr } = spawnSync('git', options, { env: OWNER_ENV, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet')
  writeFileSync(join(folder, 'readme'), 'x')
  git(folder, 'add', 'readme')
  git(folder, 'commit', '--quiet', '--message', 'first')
}

/** Runs a script as a test of the service that fails the call. */
async function runAndFail(code: string) {
  service.write('hostile.mjs', `import fs from 'node:fs'\n${code}`)
  return faultOf(service.call(runTest, { target: 'hostile.mjs' }))
}

test('a submodule cannot be turned into a repository that runs commands for the owner', async () => {
  const library = join(service.project, '..', 'library')
  makeRepository(library)
  makeRepository(service.project)
  git(service.project, 'submodule', '--quiet', 'add', library, 'services/mine/mod')
  const mark = join(service.project, 'ran')
  const planted = JSON.stringify(`[core]\nrepositoryformatversion = 0\nfsmonitor = "touch ${mark}; false"\n`)
  const seen = await runHostile(
    service,
    `
    attempt('remove', () => fs.rmSync('mod/.git'))
    attempt('overwrite', () => fs.writeFileSync('mod/.git', 'gitdir: ../evil'))
    attempt('rename', () => fs.renameSync('mod', 'mod2'))
    attempt('plant', () => {
      spawnSync('git', ['init', '-q', 'mod'], { env: { PATH: process.env.PATH, HOME: '/tmp' } })
      fs.mkdirSync('mod/.git', { recursive: true })
      fs.writeFileSync('mod/.git/config', ${planted})
    })
  `,
  )
  expect(Object.values(seen)).not.toContain('done')
  spawnSync('git', ['-C', service.project, 'status'], { env: OWNER_ENV })
  expect(existsSync(mark)).toBe(false)
  expect(lstatSync(join(service.root, 'mod/.git')).isFile()).toBe(true)
})

test('a repository below the service is read-only, and its settings are not shown', async () => {
  for (const folder of ['vendor/lib', '.venv/src/lib', 'vendor/lib/deps/inner']) {
    makeRepository(join(service.root, folder))
    const config = join(service.root, folder, '.git/config')
    writeFileSync(config, '[remote "origin"]\nurl = https://me:nested-value@host/x\n')
  }
  service.write('vendor/lib/.git/modules/a/b/config', 'url = https://me:nested-value@host/y')
  service.write('vendor/lib/.git/credentials', 'https://me:nested-value@host/y')
  const seen = await runHostile(
    service,
    `
    for (const folder of ['vendor/lib', '.venv/src/lib', 'vendor/lib/deps/inner']) {
      attempt('head ' + folder, () => fs.readFileSync(folder + '/.git/HEAD', 'utf8').slice(0, 4))
      attempt('hook ' + folder, () => fs.writeFileSync(folder + '/.git/hooks/post-commit', 'x'))
      attempt('config ' + folder, () => fs.appendFileSync(folder + '/.git/config', 'x'))
      attempt('away ' + folder, () => fs.renameSync(folder + '/.git', 'gone'))
      attempt('moved ' + folder, () => fs.renameSync(folder, 'gone'))
    }
    attempt('all', () => spawnSync('grep', ['-rs', 'nested' + '-value', '.'], { encoding: 'utf8' }).stdout)
    fs.writeFileSync('vendor/lib/readme', 'changed')
  `,
  )
  expect(seen).toMatchObject({ 'head vendor/lib': 'ref:', 'head .venv/src/lib': 'ref:', all: '' })
  expect(Object.values(seen)).not.toContain('done')
  expect(readFileSync(join(service.root, 'vendor/lib/readme'), 'utf8')).toBe('changed')
})

test('a git folder kept elsewhere in the service is as protected as one in its place', async () => {
  for (const name of ['lib', 'kept']) mkdirSync(join(service.root, name))
  git(service.root, 'init', '--quiet', '--separate-git-dir', 'kept/lib', 'lib')
  service.write('kept/lib/config', '[core]\nurl = kept-value\n')
  const seen = await runHostile(
    service,
    `attempt('read', () => fs.readFileSync('kept/lib/config', 'utf8'))
     attempt('write', () => fs.writeFileSync('kept/lib/config', 'mine'))
     attempt('hook', () => fs.writeFileSync('kept/lib/hooks/post-commit', 'mine'))
     attempt('rename', () => fs.renameSync('kept', 'other'))`,
  )
  expect(seen.read).toBe('')
  expect(Object.values(seen)).not.toContain('done')
})

test('repositories and policies that a command leaves behind are moved aside and told', async () => {
  makeRepository(join(service.root, 'vendor/lib'))
  const outside = join(service.project, 'outside')
  mkdirSync(join(outside, '.git'), { recursive: true })
  symlinkSync('../../outside', join(service.root, 'link'))
  const fault = await runAndFail(`
    console.log('said before')
    for (const folder of ['a/.flow', 'new/er/.git', 'vendor/.git', '.venv/x/.git'])
      fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync('a/.flow/config.json', '{}')
    fs.writeFileSync('new/er/.git/config', 'planted')
    fs.mkdirSync('file'); fs.writeFileSync('file/.git', 'gitdir: ../new')
    fs.mkdirSync('pointing'); fs.symlinkSync('../vendor/lib/.git', 'pointing/.git')`)
  expect(fault).toMatchObject({
    code: 'SecurityError',
    details: { stdout: 'said before\n', exit_code: 0 },
    violation: { violation_type: 'planted_repository' },
  })
  for (const path of [
    'a/.flow',
    'new/er/.git',
    'vendor/.git',
    '.venv/x/.git',
    'file/.git',
    'pointing/.git',
  ]) {
    expect(lstatSync(join(service.root, path), { throwIfNoEntry: false }), path).toBeUndefined()
    expect(fault.message, path).toContain(path)
  }
  // What was there before is as it was, and nothing is lost that somebody else may have made meanwhile.
  expect(existsSync(join(service.root, 'vendor/lib/.git/HEAD'))).toBe(true)
  expect(existsSync(join(outside, '.git'))).toBe(true)
  const [aside = ''] = readdirSync(join(service.root, 'new/er'))
  expect(readFileSync(join(service.root, 'new/er', aside, 'config'), 'utf8')).toBe('planted')
})

test('a command that fails, or is stopped, leaves no repository behind either', async () => {
  const failed = await runAndFail(`fs.mkdirSync('a/.git', { recursive: true }); process.exit(3)`)
  expect(failed).toMatchObject({ code: 'SecurityError', details: { exit_code: 3 } })
  service.remove()
  const toolchains = { '*': { test: { command: ['node', '{target}'], timeout_seconds: 1 } } }
  service = makeService({ config: { ...NODE_CONFIG, toolchains } })
  const stopped = await runAndFail(`fs.mkdirSync('a/.git', { recursive: true }); setInterval(() => {}, 1000)`)
  expect(stopped).toMatchObject({ code: 'SecurityError', details: { exit_code: null } })
  expect(existsSync(join(service.root, 'a/.git'))).toBe(false)
})

test('a folder with something closed in it stays where it is, run after run', async () => {
  service.write('conf/deep/.env', 'KEY=conf-value')
  service.write('conf/secrets/k', 'conf-value')
  service.write('conf/plain', 'x')
  const seen = await runHostile(
    service,
    `
    for (const folder of ['__pycache__', 'target', '.venv', 'node_modules'])  {
      fs.mkdirSync(folder)
      for (const from of ['conf', 'conf/deep', 'conf/deep/.env', 'conf/secrets'])
        attempt(from + ' to ' + folder, () => fs.renameSync(from, folder + '/conf'))
    }
    fs.writeFileSync('conf/other', 'y'); fs.renameSync('conf/other', 'conf/plain')
    fs.writeFileSync('conf/deep/new', 'y')
  `,
  )
  expect(Object.keys(seen)).toHaveLength(16)
  for (const [what, code] of Object.entries(seen)) expect(['EBUSY', 'EXDEV'], what).toContain(code)
  expect(seen['conf to __pycache__']).toBe('EBUSY')
  expect(readFileSync(join(service.root, 'conf/plain'), 'utf8')).toBe('y')
  const again = await runHostile(
    service,
    `attempt('all', () => spawnSync('grep', ['-rs', 'conf' + '-value', '.'], { encoding: 'utf8' }).stdout)`,
  )
  expect(again.all).toBe('')
})

test('closed names are covered in folders of tools too', async () => {
  const config = { ...NODE_CONFIG, scope: { block_patterns: ['*.pem'] } }
  service.remove()
  service = makeService({ config })
  for (const folder of ['__pycache__', 'target/debug', '.venv/lib']) {
    for (const name of ['.env', '.env.local', 'secrets/k', 'x/own.pem'])
      service.write(`${folder}/${name}`, 'tool-value')
  }
  service.write('node_modules/pkg/index.js', 'module.exports = 7')
  const seen = await runHostile(
    service,
    `
    attempt('all', () => spawnSync('grep', ['-rs', 'tool' + '-value', '.'], { encoding: 'utf8' }).stdout)
    attempt('package', () => fs.readFileSync('node_modules/pkg/index.js', 'utf8'))
  `,
  )
  expect(seen).toEqual({ all: '', package: 'module.exports = 7' })
})

test('two commands in one service run one after the other', async () => {
  service.write(
    'alone.mjs',
    `import fs from 'node:fs'
     fs.mkdirSync('busy'); await new Promise((end) => setTimeout(end, 200)); fs.rmdirSync('busy')`,
  )
  const runs = await Promise.all([1, 2, 3].map(() => service.call(runTest, { target: 'alone.mjs' })))
  expect(runs.map(({ exit_code }) => exit_code)).toEqual([0, 0, 0])
  expect(readdirSync(service.root)).toEqual(['alone.mjs'])
})

test('a call that is given up while another command runs is not begun', async () => {
  service.write('slow.mjs', `await new Promise((end) => setTimeout(end, 600))`)
  service.write('mark.mjs', `import fs from 'node:fs'; fs.writeFileSync('ran', '')`)
  const first = service.call(runTest, { target: 'slow.mjs' })
  const fault = await faultOf(service.call(runTest, { target: 'mark.mjs' }, AbortSignal.timeout(200)))
  expect(fault.code).toBe('Timeout')
  await first
  expect(existsSync(join(service.root, 'ran'))).toBe(false)
})

test.each([0o027, 0o077])('nothing is left of a run with the umask %o', async (mask) => {
  const before = process.umask(mask)
  try {
    service.write('x.mjs', 'console.log(1)')
    expect((await service.call(runTest, { target: 'x.mjs' })).stdout).toBe('1\n')
  } finally {
    process.umask(before)
  }
  expect(readdirSync(service.root)).toEqual(['x.mjs'])
})

test('what earlier runs left with modes that a umask had cut goes with the next one', async () => {
  const mark = new Date('2001-02-03T04:05:06.000Z')
  for (const [name, mode] of Object.entries({
    '.env': 0o440,
    '.npmrc': 0o400,
    '.git/': 0o550,
    'secrets/': 0o500,
  })) {
    const path = join(service.root, name)
    if (name.endsWith('/')) mkdirSync(path)
    else writeFileSync(path, '')
    spawnSync('chmod', [mode.toString(8), path])
    spawnSync('touch', ['-d', mark.toISOString(), path])
  }
  service.write('x.mjs', 'console.log(1)')
  await service.call(runTest, { target: 'x.mjs' })
  expect(readdirSync(service.root)).toEqual(['x.mjs'])
})

// Root may read everything, unless the right to do so is taken away.
const WITHOUT_PASS_KEY = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--']

test('folders that a command makes unreadable hide nothing', async () => {
  const [service_file, run_file] = [
    'commands-service.fixture.ts',
    '../../src/domains/toolbox/commands/run-test.ts',
  ]
  const script = `
    import fs from 'node:fs'
    import { makeService } from ${JSON.stringify(join(import.meta.dirname, service_file))}
    import { runTest } from ${JSON.stringify(join(import.meta.dirname, run_file))}
    const service = makeService()
    const run = async (name, code) => {
      service.write(name, "import fs from 'node:fs'\\n" + code)
      return service.call(runTest, { target: name }).then((report) => report.stdout, (fault) => fault.code)
    }
    service.write('conf/.env', 'hidden-value')
    const look = "try { fs.chmodSync('conf', 0o755) } catch {} " +
      "try { console.log(fs.readFileSync('conf/.env', 'utf8')) } catch { console.log('none') }"
    const answers = [
      await run('a.mjs', "fs.chmodSync('conf', 0)"),
      await run('b.mjs', look),
      (fs.chmodSync(service.root + '/conf', 0), await run('b.mjs', look)),
      await run('c.mjs', "fs.mkdirSync('x/y/.git', { recursive: true }); " +
        "fs.chmodSync('x/y', 0o311); fs.chmodSync('x', 0o444)"),
      await run('d.mjs', "fs.mkdirSync('z/.git', { recursive: true }); fs.chmodSync('z', 0o555)"),
      fs.existsSync(service.root + '/x/y/.git'), fs.existsSync(service.root + '/z/.git'),
    ]
    console.log(JSON.stringify(answers))
    fs.chmodSync(service.root + '/conf', 0o755)
    service.remove()`
  const options = { cwd: '/', env: { PATH: '/usr/bin:/bin', TMPDIR: tmpdir() }, encoding: 'utf8' as const }
  const command = [process.execPath, '--input-type=module-typescript', '-e', script]
  const [program = '', ...args] = process.getuid?.() === 0 ? [...WITHOUT_PASS_KEY, ...command] : command
  const { stdout, stderr } = spawnSync(program, args, options)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(['', '\n', 'none\n', 'SecurityError', 'SecurityError', false, false])
})
