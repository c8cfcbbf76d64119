import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemTools } from '../../src/domains/toolbox/system/index.ts'
import { installPackageTool } from '../../src/domains/toolbox/system/install-package.ts'
import { planInstall } from '../../src/domains/toolbox/system/package-request.ts'
import { verifies } from '../requirements/verifies.ts'
import { callTool, faultOf, type StubMachine, stubMachine } from './system-call.fixture.ts'

const MANAGERS = { 'apt-get': 'echo done', cargo: 'echo done', npm: 'echo done', sudo: 'echo done' }

test('all system tools are for the role sre alone, and critical', () => {
  const tools = systemTools(stubMachine({}).runner)
  expect(tools.map(({ name }) => name)).toEqual([
    'install_package',
    'verify_binary',
    'system_ctl',
    'migrate_config',
  ])
  for (const tool of tools)
    expect(tool).toMatchObject({ required_role: 'sre', roles: ['sre'], critical: true })
})

verifies('TOOL-124', 'no system tool takes a password', () => {
  for (const { input } of systemTools())
    expect(JSON.stringify(z.toJSONSchema(input))).not.toMatch(/pass|secret|token/i)
})

function install(machine: Pick<StubMachine, 'runner'>, input: object, config: object = {}) {
  return callTool(installPackageTool(machine.runner), { ...input }, { config })
}

describe('install_package', () => {
  verifies(
    ['TOOL-116', 'TOOL-123'],
    'runs each manager without questions, on exactly one package',
    async () => {
      const machine = stubMachine(MANAGERS)
      await install(machine, { manager: 'apt', package: 'curl', version: '7.88.1-10+deb12u5' })
      await install(machine, { manager: 'cargo', package: 'ripgrep', version: '14.1.0' })
      await install(machine, { manager: 'npm-g', package: '@scope/tool', version: '1.2.3' })
      await install(machine, { manager: 'apt', package: 'curl' })
      const lines = machine.started().map(({ argv }) => argv.join(' '))
      const apt =
        'install -y --no-install-recommends -o Dpkg::Options::=--force-confold -o APT::Cmd::Pattern-Only=true --'
      expect(lines).toEqual([
        `${apt} curl=7.88.1-10+deb12u5`,
        'install --locked --root /usr/local --version 14.1.0 -- ripgrep',
        'install -g --ignore-scripts --yes --no-audit --no-fund --prefix /usr/local -- @scope/tool@1.2.3',
        `${apt} curl`,
      ])
      for (const { stdin, input } of machine.started()) expect([input, stdin]).toEqual(['/dev/null', ''])
      expect(machine.started()[0]?.env).toContain('DEBIAN_FRONTEND=noninteractive')
    },
  )

  verifies(
    'TOOL-100',
    'gives the command a clean environment and an empty home that goes with it',
    async () => {
      process.env.KNOWTATION_TEST_LEAK = 'must-not-be-seen'
      const machine = stubMachine({ 'apt-get': '/bin/ls -a "$HOME"; : > "$HOME/left"' })
      const { stdout, command } = await install(machine, { manager: 'apt', package: 'curl' })
      delete process.env.KNOWTATION_TEST_LEAK
      const [started] = machine.started()
      const names = started?.env.map((line) => line.split('=')[0]).toSorted()
      expect(names).toEqual(
        ['DEBIAN_FRONTEND', 'HOME', 'LANG', 'PATH', 'PWD', ...(names?.includes('_') ? ['_'] : [])].toSorted(),
      )
      expect(stdout).toBe('.\n..\n')
      expect(command[0]).toBe(join(machine.folder, 'apt-get'))
      const home = started?.env.find((line) => line.startsWith('HOME='))?.slice('HOME='.length)
      expect(existsSync(home as string)).toBe(false)
    },
  )

  verifies(
    ['TOOL-095', 'TOOL-122', 'TOOL-116'],
    'refuses managers of project dependencies and points to install_dependencies',
    async () => {
      const machine = stubMachine(MANAGERS)
      for (const manager of ['npm', 'pip', 'pip3', 'npm install', 'NPM', 'poetry', 'yarn']) {
        const fault = await faultOf(install(machine, { manager, package: 'left-pad', version: '1.0.0' }))
        expect(fault.code).toBe('PolicyViolation')
        expect(fault.suggestion).toContain('install_dependencies')
        expect(fault.violation).toEqual({
          violation_type: 'project_dependency',
          target_path: null,
          command_args: [manager, 'left-pad', '1.0.0'],
        })
      }
      for (const manager of ['dnf', 'apt-get', 'constructor', '__proto__', 'apt '])
        expect(await faultOf(install(machine, { manager, package: 'curl' }))).toMatchObject({
          code: 'ValidationError',
        })
      expect(machine.started()).toEqual([])
    },
  )

  const WRONG: Record<string, readonly string[]> = {
    apt: [
      'curl-',
      'g++',
      'curl+',
      'curl=1',
      'curl/sid',
      'curl:i386',
      'build-essential^',
      '~ncurl',
      '?true',
      'Curl',
      './x.deb',
      '/tmp/x.deb',
    ],
    cargo: ['ripgrep@1.0.0', '../x', 'a/b', 'git+https://x', '-x', '1abc', 'a-'],
    'npm-g': [
      'user/repo',
      'git+ssh://x/y',
      'file:x',
      './x',
      '../x',
      'a@1',
      'npm:x',
      'https://x/y.tgz',
      '@x',
      '@/x',
      '.x',
      '_x',
      'Upper',
    ],
  }
  const META = [
    '-o=x',
    '--help',
    'curl; rm',
    'curl rm',
    '$(id)',
    '`id`',
    'a|b',
    'a&b',
    'a>b',
    'a\nb',
    'a\0b',
    '*',
    'curl?',
    '',
  ]

  for (const [manager, names] of Object.entries(WRONG))
    verifies('TOOL-117', `takes no option, path, address or order for a package of ${manager}`, async () => {
      const machine = stubMachine(MANAGERS)
      for (const name of [...names, ...META]) {
        const fault = await faultOf(install(machine, { manager, package: name }))
        expect([name, fault.code]).toEqual([name, 'ValidationError'])
      }
      expect(machine.started()).toEqual([])
    })

  verifies('TOOL-117', 'takes no version that is more than one version', async () => {
    const machine = stubMachine(MANAGERS)
    const wrong = [
      '1.0-',
      '1.0+',
      '-1',
      'latest',
      '^1.0.0',
      '>=1',
      '1 || 2',
      '*',
      '1.0.0;x',
      '1\n2',
      '',
      ' 1.0.0',
      '1.0.0 ',
      '$(id)',
    ]
    for (const manager of ['apt', 'cargo', 'npm-g'])
      for (const version of wrong) {
        const fault = await faultOf(install(machine, { manager, package: 'curl', version }))
        expect([manager, version, fault.code]).toEqual([manager, version, 'ValidationError'])
      }
    expect(machine.started()).toEqual([])
  })

  verifies(
    'TOOL-117',
    'whatever is asked for, package and version are one argument that is no option',
    () => {
      const alphabet = fc.constantFrom(...'abz019AZ@/.:+-_=~ ;$*?^\n'.split(''))
      const text = fc.string({ unit: alphabet, minLength: 1, maxLength: 8 })
      fc.assert(
        fc.property(
          fc.constantFrom('apt', 'cargo', 'npm-g'),
          text,
          fc.option(text),
          (manager, name, version) => {
            let argv: string[]
            try {
              argv = planInstall({ manager, package: name, version: version ?? undefined }).argv
            } catch {
              return
            }
            const last = argv.at(-1) as string
            expect(argv.indexOf('--')).toBe(argv.length - 2)
            expect(last).toMatch(/^[@A-Za-z0-9][A-Za-z0-9@/.:+_=~-]*$/)
            expect(last).not.toMatch(/[+-]$/)
            expect(argv.slice(0, -2).filter((word) => word === version).length).toBe(
              manager === 'cargo' && version ? 1 : 0,
            )
          },
        ),
        { numRuns: 3_000 },
      )
    },
  )

  verifies(
    'TOOL-124',
    'uses sudo only without a password, and only for programs that the owner lists',
    async () => {
      const machine = stubMachine(MANAGERS, false)
      const fault = await faultOf(install(machine, { manager: 'apt', package: 'curl' }))
      expect(fault).toMatchObject({
        code: 'PolicyViolation',
        violation: { violation_type: 'sudo_not_allowed' },
      })
      const other = { sudo: { binaries: ['systemctl'] } }
      expect((await faultOf(install(machine, { manager: 'apt', package: 'curl' }, other))).code).toBe(
        'PolicyViolation',
      )
      expect(machine.started()).toEqual([])
      await install(machine, { manager: 'apt', package: 'curl' }, { sudo: { binaries: ['apt-get'] } })
      const [started] = machine.started()
      expect(started?.program).toBe(join(machine.folder, 'sudo'))
      expect(started?.argv.slice(0, 4)).toEqual(['-n', '--', join(machine.folder, 'apt-get'), 'install'])
    },
  )

  test('needs no sudo as root', async () => {
    const machine = stubMachine({ 'apt-get': '' })
    await install(machine, { manager: 'apt', package: 'curl' })
    expect(machine.started()[0]?.program).toBe(join(machine.folder, 'apt-get'))
  })

  test('says so when the manager is not there', async () => {
    const fault = await faultOf(install(stubMachine({}), { manager: 'cargo', package: 'ripgrep' }))
    expect(fault.code).toBe('NotConfigured')
  })

  test('a failing manager is a failure, with what it said', async () => {
    const machine = stubMachine({ 'apt-get': 'echo out; echo "E: no such package" >&2; exit 100' })
    const fault = await faultOf(install(machine, { manager: 'apt', package: 'nope' }))
    expect(fault).toMatchObject({
      code: 'CommandFailed',
      details: { exit_code: 100, stdout: 'out\n', stderr: 'E: no such package\n' },
    })
  })
})
