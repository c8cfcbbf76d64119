import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { makeGitProject, makeShop } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { faultOf, makeService, NODE_CONFIG } from './commands-service.fixture.ts'
import { startToolHub } from './surface-hub.fixture.ts'

const WAIT = `import fs from 'node:fs'
fs.writeFileSync('up', '')
while (!fs.existsSync('go')) await new Promise((later) => setTimeout(later, 20))`

test('the git tools work on the project’s repository while a command runs in a service of it', async () => {
  await using project = makeShop()
  project.put('wait.mjs', WAIT)
  project.commitAll()
  const running = project.call(runTest, { target: 'wait.mjs' }, { config: NODE_CONFIG })
  await expect.poll(() => existsSync(join(project.service_root, 'up')), { timeout: 10_000 }).toBe(true)
  expect(readdirSync(project.service_root)).toContain('.git')
  project.put('a.txt', 'changed\n')
  expect(await project.call(gitStatus, {})).toMatchObject({ branch: 'main', unstaged: ['a.txt'] })
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
  const entry = join(import.meta.dirname, '../../src/domains/toolbox/commands/service-turn.ts')
  const call = { context: { service_root: service.root }, hub: { home: { folder: service.home } } }
  const script = `
    import { inServiceTurn } from ${JSON.stringify(entry)}
    const call = { ...${JSON.stringify(call)}, signal: new AbortController().signal }
    await inServiceTurn(call, async () => {
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
