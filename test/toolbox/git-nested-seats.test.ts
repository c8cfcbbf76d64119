import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { startToolHub } from './surface-hub.fixture.ts'
import { makeToolProject } from './surface-project.fixture.ts'

const REPOSITORY = join(import.meta.dirname, '../../src/domains/toolbox/git/repository/repository.ts')

const CONFIG = {
  git: { remotes: {} },
  tools: { whitelisted_binaries: ['node'] },
  toolchains: { '*': { test: { command: ['node', '{target}'], timeout_seconds: 60 } } },
}
const OUTER = { service: '.', agent_id: 'outer' }
const INNER = { service: 'services/web', agent_id: 'inner' } as const

/** Agent code of the project's seat makes a repository in the service of another seat, and stays until it is told to go. */
function plantScript(remote: string): string {
  return `import fs from 'node:fs'
    const put = (name, text) => {
      fs.mkdirSync('services/web/.git/' + name.replace(/[^/]*$/, ''), { recursive: true })
      fs.writeFileSync('services/web/.git/' + name, text)
    }
    put('objects/x', '')
    put('refs/x', '')
    put('config', '[core]\\nrepositoryformatversion = 0\\n[remote "planted"]\\nurl = ${remote}\\n')
    put('HEAD', 'ref: refs/heads/planted\\n')
    fs.writeFileSync('up', '')
    while (!fs.existsSync('go')) await new Promise((later) => setTimeout(later, 20))`
}

async function plant() {
  const tools = await startToolHub(CONFIG)
  const { project } = tools
  const remote = join(project.base, 'private.git')
  mkdirSync(remote)
  runGit(remote, ['init', '--quiet', '--bare'])
  project.write('plant.mjs', plantScript(remote))
  const running = tools.codeOf('rest', 'run_test', { target: 'plant.mjs' }, OUTER)
  await expect.poll(() => existsSync(join(project.root, 'up')), { timeout: 20_000 }).toBe(true)
  const go = () => writeFileSync(join(project.root, 'go'), '')
  return { tools, remote, running, go }
}

test('the git tools take no repository that agent code around the service has just made', async () => {
  const { tools, remote, running, go } = await plant()
  await using _hub = tools
  const given = { remote: 'planted', branch: 'planted', confirm: true }
  const calls = [
    tools.call('rest', 'git_status', {}, INNER),
    tools.call('rest', 'git_diff', { staged: true }, INNER),
    tools.call('rest', 'git_commit', { message: 'Into a planted repository' }, INNER),
    tools.call('rest', 'git_push', given, { ...INNER, role: 'release_manager' }),
  ]
  expect(await Promise.race([...calls, new Promise((later) => setTimeout(later, 500, 'nothing'))])).toBe(
    'nothing',
  )
  go()
  expect(await running).toBe('SecurityError')
  const [status, diff, commit, push] = await Promise.all(calls)
  // What is there now is the project's own repository.
  expect([status?.data?.branch, diff?.status]).toEqual(['main', 'success'])
  expect([commit?.error?.message, push?.error?.code]).toEqual(['Nothing is staged.', 'ValidationError'])
  expect(runGit(remote, ['branch', '--all'])).toBe('')
}, 60_000)

test('a pipe in the place of HEAD keeps nobody waiting', async () => {
  using project = makeToolProject(CONFIG)
  const git_dir = join(project.root, '.git')
  rmSync(join(git_dir, 'HEAD'))
  execFileSync('mkfifo', [join(git_dir, 'HEAD')])
  // In a process of its own: what waits for a pipe cannot be stopped from within.
  const program = `const { findBranch } = await import(${JSON.stringify(REPOSITORY)})
    console.log(findBranch({ git_dir: ${JSON.stringify(git_dir)} }))`
  const args = ['--input-type=module', '--eval', program]
  expect(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 })).toBe('undefined\n')
})
