import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { gitDiff } from '../../src/domains/toolbox/git/git-diff.ts'
import {
  makeGitProject,
  makeShop,
  realSandbox,
  runGit,
  writeAt,
} from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitPush } from '../../src/domains/toolbox/git/git-push.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import type { Sandbox } from '../../src/platform/sandbox/sandbox.ts'
import { faultOf, makeService, NODE_CONFIG } from './commands-service.fixture.ts'
import { startToolHub } from './surface-hub.fixture.ts'
import { fingerprintOf } from './surface-project.fixture.ts'

const WAIT = `import fs from 'node:fs'
fs.writeFileSync('up', '')
while (!fs.existsSync('go')) await new Promise((later) => setTimeout(later, 20))`

test('the git tools work on the project’s repository while a command runs in a service of it', async () => {
  await using project = makeShop()
  project.put('wait.mjs', WAIT)
  project.put('.npmrc', 'loglevel=warn\n')
  project.commitAll()
  unlinkSync(join(project.service_root, '.npmrc'))
  const running = project.call(runTest, { target: 'wait.mjs' }, { config: NODE_CONFIG })
  await expect.poll(() => existsSync(join(project.service_root, 'up')), { timeout: 10_000 }).toBe(true)
  expect(readdirSync(project.service_root)).toContain('.git')
  project.put('a.txt', 'changed\n')
  // What holds the place of a name that the command must not make is nothing of the project's.
  expect(readdirSync(project.service_root)).toEqual(
    expect.arrayContaining(['.npmrc', 'secrets', '.env.local']),
  )
  expect(await project.call(gitStatus, {})).toMatchObject({
    stdout: '## main\n D .npmrc\n M a.txt\n?? up\n',
    hidden: 0,
  })
  expect(await project.call(gitDiff, {})).toMatchObject({ stdout: expect.stringContaining('-loglevel=warn') })
  expect(await project.call(gitAdd, { files: ['.npmrc'] })).toMatchObject({ removed: ['.npmrc'] })
  project.git('reset', '--quiet')
  await project.call(gitAdd, { files: ['a.txt'] })
  expect(await project.call(gitCommit, { message: 'Change a' })).toMatchObject({ files: ['a.txt'] })
  project.put('go', '')
  expect((await running).exit_code).toBe(0)
  expect(readdirSync(project.service_root)).not.toContain('.git')
})

function leave(folder: string): void {
  const path = join(folder, '.git')
  mkdirSync(path)
  chmodSync(path, 0o555)
  const mark = new Date('2001-02-03T04:05:06.000Z')
  utimesSync(path, mark, mark)
}

test('what a killed hub left in the place of a repository does not hide the project’s', async () => {
  await using project = makeShop()
  leave(project.service_root)
  expect(await project.call(gitStatus, {})).toMatchObject({ branch: 'main', unstaged: [] })
  await using without = makeGitProject('elsewhere')
  leave(without.service_root)
  const context = { project_root: without.service_root }
  expect(await without.codeOf(gitStatus, {}, { context })).toBe('NotConfigured')
})

test('the owner hears of a repository that a command left behind', async () => {
  await using tools = await startToolHub(NODE_CONFIG)
  const script = `require('node:fs').mkdirSync('sub/.git', { recursive: true }); console.log('said')`
  writeFileSync(join(tools.seat().service_root, 'plant.cjs'), script)
  for (const way of ['rest', 'cli'] as const) {
    const agent_id = `planter-${way}`
    const result = await tools.call(way, 'run_test', { target: 'plant.cjs' }, { agent_id })
    expect(result).toMatchObject({
      error: { code: 'SecurityError', details: { stdout: 'said\n', exit_code: 0 } },
      metadata: { security_checks: 'failed' },
    })
    const { violations } = await tools.owner('GET', `/api/v1/toolbox/violations?agent_id=${agent_id}`)
    expect(violations).toMatchObject([{ violation_type: 'planted_repository' }])
    expect(violations[0].target_path).toBe('sub/.git')
  }
  expect(existsSync(join(tools.seat().service_root, 'sub/.git'))).toBe(false)
})

test('a command waits for one of another process, and not for a process that is gone', async () => {
  const service = makeService({ files: { 'x.mjs': `import fs from 'node:fs'; fs.writeFileSync('ran', '')` } })
  const entry = join(import.meta.dirname, '../../src/domains/toolbox/tree-lock.ts')
  const script = `
    import { withTreeLock } from ${JSON.stringify(entry)}
    const call = {
      context: ${JSON.stringify({ service_root: service.root })},
      guard: { holdsRoot: () => true },
      signal: new AbortController().signal,
    }
    await withTreeLock(call, async () => {
      console.log('has it')
      await new Promise((end) => setTimeout(end, 100_000))
    })`
  const other = spawn(process.execPath, ['--input-type=module-typescript', '-e', script])
  try {
    await new Promise((said) => other.stdout.once('data', said))
    const fault = await faultOf(service.call(runTest, { target: 'x.mjs' }, AbortSignal.timeout(300)))
    expect(fault.code).toBe('Timeout')
    expect(existsSync(join(service.root, 'ran'))).toBe(false)
    const waiting = service.call(runTest, { target: 'x.mjs' })
    other.kill('SIGKILL')
    expect((await waiting).exit_code).toBe(0)
  } finally {
    other.kill('SIGKILL')
    service.remove()
  }
})

test('git waits for the git of a hub in another process, and not for one that is gone', async () => {
  await using project = makeShop()
  project.put('a.txt', 'changed\n')
  const entry = join(import.meta.dirname, '../../src/domains/toolbox/git/repository/repository-lock.ts')
  const script = `
    import { withRepositoryLock } from ${JSON.stringify(entry)}
    await withRepositoryLock(${JSON.stringify(join(project.root, '.git'))}, async () => {
      console.log('has it')
      await new Promise((end) => setTimeout(end, 100_000))
    })`
  const other = spawn(process.execPath, ['--input-type=module-typescript', '-e', script])
  try {
    await new Promise((said) => other.stdout.once('data', said))
    let is_over = false
    const adding = project.call(gitAdd, { files: ['a.txt'] }).finally(() => (is_over = true))
    await new Promise((later) => setTimeout(later, 1_000))
    expect(is_over).toBe(false)
    expect(project.git('diff', '--cached', '--name-only')).toBe('')
    other.kill('SIGKILL')
    expect((await adding).added).toEqual(['a.txt'])
  } finally {
    other.kill('SIGKILL')
  }
})

test('a push to a server that does not answer keeps no other git waiting', async () => {
  await using project = makeShop()
  const remote = join(project.base, 'remote.git')
  project.git('init', '--quiet', '--bare', remote)
  project.put('a.txt', 'changed\n')
  const begun = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const slow: Sandbox = {
    require: () => realSandbox.require(),
    async run(profile, argv, options) {
      if (argv.includes('push')) {
        begun.resolve()
        await answered.promise
      }
      return realSandbox.run(profile, argv, options)
    },
  }
  const pushing = project.call(
    gitPush,
    { remote: 'origin', branch: 'main', confirm: true },
    { sandbox: slow, config: { git: { remotes: { origin: remote } } } },
  )
  try {
    await begun.promise
    expect((await project.call(gitAdd, { files: ['a.txt'] })).added).toEqual(['a.txt'])
  } finally {
    answered.resolve()
  }
  expect((await pushing).result).toBe('created')
})

test('git works in no repository that comes to stand in the place of the service’s own', async () => {
  await using project = makeShop()
  const outside = join(project.base, 'outside')
  for (const folder of [project.service_root, outside]) {
    mkdirSync(folder, { recursive: true })
    runGit(folder, ['init', '--quiet', '--initial-branch=main'])
    writeAt(join(folder, 'z.txt'), `in ${folder}\n`)
    runGit(folder, ['add', 'z.txt'])
  }
  const before = fingerprintOf(outside)
  const swapping: Sandbox = {
    require: () => realSandbox.require(),
    async run(profile, argv, options) {
      renameSync(project.service_root, `${project.service_root}-aside`)
      symlinkSync(outside, project.service_root)
      try {
        return await realSandbox.run(profile, argv, options)
      } finally {
        unlinkSync(project.service_root)
        renameSync(`${project.service_root}-aside`, project.service_root)
      }
    },
  }
  const code = await project.codeOf(gitCommit, { message: 'Not ours' }, { sandbox: swapping })
  expect(code).toBe('SandboxUnavailable')
  expect(fingerprintOf(outside)).toBe(before)
  expect(await project.codeOf(gitCommit, { message: 'Ours' })).toBe('success')
})
