import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { installDependencies } from '../../src/domains/toolbox/commands/install-dependencies.ts'
import { runLint } from '../../src/domains/toolbox/commands/run-lint.ts'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  configured,
  faultOf,
  NODE_CONFIG,
  openService,
  type ServiceOptions,
  type TestService,
} from './commands-service.fixture.ts'

let service: TestService
function open(options?: ServiceOptions): TestService {
  service = openService(options)
  return service
}

verifies(
  ['TOOL-019', 'TOOL-139'],
  'a program that is not whitelisted, or not for this task, is refused and told',
  async () => {
    const refused = async (config: object, allowed?: string[]): Promise<void> => {
      open({ config, ...(allowed ? { allowed_commands: allowed } : {}), files: { x: '' } })
      for (const tool of [runTest, runLint]) {
        const fault = await faultOf(service.call(tool, { target: 'x' }))
        expect(fault).toMatchObject({
          code: 'PolicyViolation',
          violation: { violation_type: 'command_whitelist' },
        })
      }
      service.remove()
    }
    await refused(configured(['curl', 'x'], ['pytest', 'npm', 'cargo']))
    await refused(configured(['node', '{target}'], []))
    await refused(configured(['eslint', '{target}'], ['eslint', 'pytest']), ['pytest'])
    await refused(configured(['node', '{target}'], ['node']), [])
    open({ allowed_commands: ['node'], files: { 'x.mjs': 'console.log(1)' } })
    expect((await service.call(runTest, { target: 'x.mjs' })).stdout).toBe('1\n')
  },
)

verifies(
  'TOOL-093',
  'a configured command that amounts to npm or pip install is refused and told',
  async () => {
    const commands = [
      ['npm', 'install'],
      ['npm', 'i', '{target}'],
      ['npm', '--silent', 'install'],
      ['env', 'npm', 'install'],
      ['python3', '-m', 'pip', 'install', 'x'],
      ['sh', '-c', 'npm install && npm test'],
    ]
    for (const command of commands) {
      open({ config: configured(command, [command[0] ?? '']), files: { x: '' } })
      const fault = await faultOf(service.call(runTest, { target: 'x' }))
      expect(fault, command.join(' ')).toMatchObject({
        code: 'PolicyViolation',
        violation: { violation_type: 'dangerous_command' },
      })
      service.remove()
    }
    open({
      config: configured(['npm', 'test'], ['npm']),
      files: { 'package.json': '{"scripts":{"pretest":"npm install left-pad","test":"true"}}' },
    })
    expect((await faultOf(service.call(runTest, { target: '.' }))).code).toBe('PolicyViolation')
    service.remove()
    open({
      config: configured(['npm', 'run', '{target}'], ['npm']),
      files: { 'package.json': '{"scripts":{"deps":"npm install left-pad"}}' },
    })
    expect((await faultOf(service.call(runTest, { target: 'deps' }))).code).toBe('PolicyViolation')
    service.remove()
    open({ config: configured(['npm', '{target}'], ['npm']) })
    expect((await faultOf(service.call(runTest, { target: 'install' }))).code).toBe('PolicyViolation')
  },
)

verifies(
  'TOOL-141',
  'without a configured command there is an error that says how to configure one',
  async () => {
    open({ config: {}, files: { 'package.json': '{"scripts":{"test":"touch ran"}}' } })
    for (const [tool, kind] of [
      [runTest, 'test'],
      [runLint, 'lint'],
    ] as const) {
      const fault = await faultOf(service.call(tool, { target: '.' }))
      expect(fault.code).toBe('NotConfigured')
      expect(fault.suggestion).toContain('.flow/config.json')
      expect(fault.suggestion).toContain(`"${kind}":{"command":[`)
    }
    expect(readdirSync(service.root)).toEqual(['package.json'])
    const own = {
      ...NODE_CONFIG,
      toolchains: { 'services/mine': { test: { command: ['node', '-p', '"mine"'] } } },
    }
    open({ config: own })
    expect((await service.call(runTest, { target: '.' })).stdout).toBe('mine\n')
    // One command does not stand in for the other.
    expect((await faultOf(service.call(runLint, { target: '.' }))).code).toBe('NotConfigured')
  },
)

test('the tools are for those who work on source', () => {
  for (const tool of [runTest, runLint, installDependencies]) {
    expect(tool.roles.toSorted()).toEqual(['dev', 'release_manager', 'sre'])
  }
})

test('nothing is run without a sandbox', async () => {
  const sandbox = openSandbox({ bwrap_paths: ['/nowhere/bwrap'] })
  open({ sandbox, files: { 'x.mjs': 'console.log(1)' } })
  const fault = await faultOf(service.call(runTest, { target: 'x.mjs' }))
  expect(fault.code).toBe('SandboxUnavailable')
  expect(fault.message).toMatch(/^Nothing was run: /)
  expect(fault.suggestion).toMatch(/install bubblewrap/i)
})
