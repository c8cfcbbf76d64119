import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { startToolHub, type ToolHub, toolNames, WAYS } from './surface-hub.fixture.ts'
import { NODE_TOOLCHAIN } from './surface-project.fixture.ts'

/** Arguments with which each tool would do its work, and who may ask it to. */
const CALLS: Readonly<Record<string, [string, object]>> = {
  read_file: ['dev', { path: 'docs/a.md' }],
  write_file: ['dev', { path: 'docs/new.md', content: 'x' }],
  edit_file: ['dev', { path: 'docs/a.md', edits: [{ operation: 'delete', spec: 'A' }] }],
  search_file: ['dev', { path: '.', regex: 'A', recursive: true }],
  count_matches: ['dev', { path: '.', regex: 'A', recursive: true }],
  list_files: ['dev', { path: '.' }],
  delete_file: ['dev', { path: 'docs/a.md' }],
  run_test: ['dev', { target: 'src/main.test.mjs' }],
  run_lint: ['dev', { target: 'src/main.mjs' }],
  git_status: ['dev', {}],
  git_diff: ['dev', {}],
  git_add: ['dev', { files: ['src/main.mjs'] }],
  git_commit: ['dev', { message: 'x' }],
  git_push: ['release_manager', { remote: 'origin', branch: 'main' }],
  git_checkout: ['dev', { branch: 'other', create_if_missing: true }],
  install_dependencies: ['dev', { manager: 'npm' }],
  search_knowledge: ['dev', { query: 'greeting' }],
  find_usage: ['dev', { symbol: 'greeting' }],
  get_related_tests: ['dev', { file_path: 'src/main.mjs' }],
  get_system_map: ['dev', {}],
  get_task_context: ['dev', { task_id: '1' }],
  install_package: ['sre', { manager: 'apt', package: 'knowtation-no-such-package', version: '0' }],
  verify_binary: ['sre', { binary_name: 'git' }],
  system_ctl: ['sre', { service: 'docker.service', action: 'status' }],
  migrate_config: ['sre', { target_version: 2 }],
}

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

describe('a damaged policy', () => {
  verifies('TOOL-136', 'closes every tool, names the file, and counts from the next call', async () => {
    expect(Object.keys(CALLS)).toEqual(toolNames)
    const whole = tools.project.read('.flow/config.json')
    const damaged = ['{ "scope": ', '[]', '{"scope":{"service_isolation":"NONE"}}', '{"scpoe":{}}', '\0']
    for (const text of damaged) {
      tools.project.write('.flow/config.json', text)
      const before = tools.project.fingerprint()
      for (const [tool, [role, args]] of Object.entries(CALLS)) {
        // It is there to mend a file of another form, as long as it is one.
        if (tool === 'migrate_config' && text.startsWith('{"')) continue
        const { status, error } = await tools.call('direct', tool, args, { role })
        expect([status, error?.code], `${tool} with ${text}`).toEqual(['error', 'ConfigDamaged'])
        expect(error?.message).toContain('.flow/config.json')
      }
      expect(tools.project.fingerprint()).toBe(before)
    }
    for (const way of WAYS)
      expect(await tools.codeOf(way, 'read_file', { path: 'docs/a.md' })).toBe('ConfigDamaged')
    tools.project.write('.flow/config.json', whole)
    for (const way of WAYS)
      expect(await tools.codeOf(way, 'read_file', { path: 'docs/a.md' })).toBe('success')
  })
})

describe('a project without a policy', () => {
  verifies(
    ['TOOL-136', 'TOOL-141'],
    'is strict: its files can be worked on, and nothing can be run',
    async () => {
      await using strict = await startToolHub(null)
      expect(await strict.codeOf('rest', 'write_file', { path: 'docs/new.md', content: 'x' })).toBe('success')
      expect(await strict.codeOf('rest', 'read_file', { path: '../other/x.txt' })).toBe('SecurityError')
      const { error } = await strict.call('rest', 'run_test', { target: 'src/main.test.mjs' })
      expect([error?.code, error?.suggestion]).toEqual([
        'NotConfigured',
        expect.stringContaining('.flow/config.json'),
      ])
    },
  )
})

describe('the policy of a project', () => {
  verifies(['TOOL-093', 'TOOL-139', 'TOOL-130'], 'is in force for every way a call takes', async () => {
    const toolchains = { '*': { test: { command: ['npm', 'install'] }, lint: { command: ['curl', 'x'] } } }
    const config = {
      ...NODE_TOOLCHAIN,
      tools: { whitelisted_binaries: ['pytest', 'npm', 'cargo'] },
      toolchains,
    }
    await using strict = await startToolHub(config)
    for (const way of WAYS) {
      const at = { agent_id: `agent-${way}` }
      for (const tool of ['run_test', 'run_lint'])
        expect(await strict.codeOf(way, tool, { target: 'src/main.mjs' }, at), `${way} ${tool}`).toBe(
          'PolicyViolation',
        )
      const { violations } = await strict.owner('GET', `/api/v1/toolbox/violations?agent_id=${at.agent_id}`)
      expect(violations.map((event: any) => event.violation_type)).toEqual([
        'command_whitelist',
        'dangerous_command',
      ])
    }
  })

  verifies(
    'TOOL-070',
    'adds its shared folders to the three of every project, all to be read only',
    async () => {
      await using shared = await startToolHub({ scope: { shared_paths: ['docs/policies/'] } })
      const open = ['shared_contracts', 'shared', 'contracts', 'docs/policies']
      for (const folder of [...open, 'sharing', 'docs'])
        shared.project.write(`${folder}/k.md`, `of ${folder}\n`)
      const before = shared.project.fingerprint()
      for (const folder of open) {
        const path = `../../${folder}/k.md`
        expect((await shared.call('direct', 'read_file', { path })).data?.content).toBe(`of ${folder}\n`)
        const written = await shared.codeOf('direct', 'write_file', { path, content: 'x' })
        expect([folder, written]).toEqual([folder, 'SecurityError'])
      }
      for (const folder of ['sharing', 'docs'])
        expect(await shared.codeOf('direct', 'read_file', { path: `../../${folder}/k.md` })).toBe(
          'SecurityError',
        )
      expect(shared.project.fingerprint()).toBe(before)
    },
  )
})
