import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { followProjectPolicy, strictPolicy } from '../../src/domains/toolbox/policy/follow-project-policy.ts'
import { ToolFault } from '../../src/domains/toolbox/tool-fault.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'
import { verifies } from '../requirements/verifies.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { CONTRACT_EXAMPLE, projectWith, writeConfig } from './policy-file.fixture.ts'

const BUILT_IN = ['.env', '.git/', 'secrets/', 'node_modules/', '.flow/']

/** The fault that asking for the policy ends with. */
function faultOf(root: string): ToolFault {
  try {
    followProjectPolicy(root)()
  } catch (error) {
    if (error instanceof ToolFault) return error
    throw error
  }
  throw new Error('The policy was accepted.')
}

verifies('TOOL-135', "the contract's example loads and its values are in force", () => {
  const root = projectWith(CONTRACT_EXAMPLE)
  const policy = followProjectPolicy(root)()
  expect(policy).toMatchObject({
    isolation_level: 'STRICT',
    whitelisted_binaries: ['pytest', 'npm', 'cargo'],
    redact_patterns: ['sk-...', 'ghp-...'],
  })
  expect(policy.shared_roots).toEqual(
    ['shared_contracts', 'shared', 'contracts', 'docs/policies'].map((folder) => join(root, folder)),
  )
  expect(policy.block_patterns).toEqual(expect.arrayContaining(['.env', 'secrets/']))
})

verifies('TOOL-136', 'without a file the strict defaults count, and nothing may be run', () => {
  const root = projectWith()
  const policy = followProjectPolicy(root)()
  expect(policy).toMatchObject({
    isolation_level: 'STRICT',
    block_patterns: BUILT_IN,
    hard_link_stores: [],
    whitelisted_binaries: [],
    redact_patterns: [],
    sudo_binaries: [],
    system_services: [],
    calls_per_minute: undefined,
    git_remotes: {},
    allow_unsandboxed_git: false,
    redaction_exceptions: {},
    revision: 'none',
  })
  expect(policy.toolchainOf(join(root, 'services/shop'))).toEqual({ test: undefined, lint: undefined })
  expect(JSON.stringify(strictPolicy(root))).toBe(JSON.stringify(policy))
})

const COMMAND = { command: ['npm', 'test'] }

/** Files that are refused, with what the refusal must name. */
const DAMAGED: readonly (readonly [string, string | object, string])[] = [
  ['nothing in it', '', 'malformed'],
  ['half a document', '{"scope": {', 'malformed'],
  ['a comment', '{} // closed', 'malformed'],
  ['a repeated key', '{"scope":{"block_patterns":["a"]},"scope":{}}', 'duplicate_key'],
  ['a repeated inner key', '{"scope":{"block_patterns":["a"],"block_patterns":[]}}', 'duplicate_key'],
  ['no object', '[]', 'the document'],
  ['null', 'null', 'the document'],
  ['an unknown isolation', { scope: { service_isolation: 'NONE' } }, 'scope.service_isolation'],
  ['an isolation in lower case', { scope: { service_isolation: 'strict' } }, 'scope.service_isolation'],
  ['a misspelt section', { scopes: {} }, 'scopes'],
  ['a misspelt rule', { scope: { block_pattern: ['a'] } }, 'block_pattern'],
  ['an inherited name', '{"__proto__": {"scope": {}}}', '__proto__'],
  ['a newer version', { version: 3 }, 'version'],
  ['a version of text', { version: '1' }, 'version'],
  ['an absolute shared path', { scope: { shared_paths: ['/etc'] } }, 'scope.shared_paths.0'],
  ['a shared path above', { scope: { shared_paths: ['../other'] } }, 'scope.shared_paths.0'],
  ['a shared path through above', { scope: { shared_paths: ['docs/../../x'] } }, 'scope.shared_paths.0'],
  ['the whole project shared', { scope: { shared_paths: ['.'] } }, 'scope.shared_paths.0'],
  ['an empty shared path', { scope: { shared_paths: [''] } }, 'scope.shared_paths.0'],
  ['a shared path with a zero byte', { scope: { shared_paths: ['a\0b'] } }, 'scope.shared_paths.0'],
  ['a pattern that would block nothing', { scope: { block_patterns: ['k?y'] } }, 'scope.block_patterns.0'],
  ['a blocked name of nothing', { scope: { block_patterns: ['/'] } }, 'scope.block_patterns.0'],
  ['a path as a blocked name', { scope: { block_patterns: ['a/b'] } }, 'scope.block_patterns.0'],
  ['a binary with a path', { tools: { whitelisted_binaries: ['/bin/sh'] } }, 'tools.whitelisted_binaries.0'],
  ['a binary with options', { tools: { whitelisted_binaries: ['npm ci'] } }, 'tools.whitelisted_binaries.0'],
  ['binaries as text', { tools: { whitelisted_binaries: 'npm' } }, 'tools.whitelisted_binaries'],
  ['a pattern that hides everything', { secrets: { redact_patterns: ['...'] } }, 'secrets.redact_patterns.0'],
  ['an exception of no rule', { secrets: { exceptions: { read_file: ['nope'] } } }, 'read_file'],
  [
    'a command as text',
    { toolchains: { '*': { test: { command: 'npm test' } } } },
    'toolchains.*.test.command',
  ],
  ['a command by path', { toolchains: { '*': { test: { command: ['./x'] } } } }, 'toolchains.*.test.command'],
  [
    'a command that is the target',
    { toolchains: { '*': { lint: { command: ['{target}'] } } } },
    'lint.command',
  ],
  ['a toolchain outside', { toolchains: { '../x': { test: COMMAND } } }, 'toolchains'],
  ['a service twice', { toolchains: { a: { test: COMMAND }, 'a/': { test: COMMAND } } }, 'toolchains'],
  ['a third command', { toolchains: { '*': { build: COMMAND } } }, 'build'],
  [
    'no time at all',
    { toolchains: { '*': { test: { ...COMMAND, timeout_seconds: 0 } } } },
    'timeout_seconds',
  ],
  ['a limit of nothing', { rate_limits: { calls_per_minute: 0 } }, 'rate_limits.calls_per_minute'],
  ['a unit that is an option', { system: { services: ['--force'] } }, 'system.services.0'],
  ['a pattern of units', { system: { services: ['*'] } }, 'system.services.0'],
  ['a remote that runs a program', { git: { remotes: { origin: 'ext::sh -c x' } } }, 'git.remotes.origin'],
  ['a remote named like an option', { git: { remotes: { '--all': '/srv/x.git' } } }, 'git.remotes'],
  ['a store outside the service', { guard: { hard_link_stores: ['../x'] } }, 'guard.hard_link_stores.0'],
]

describe('a damaged file refuses everything and names itself and the place', () => {
  for (const [name, config, place] of DAMAGED)
    verifies('TOOL-136', name, () => {
      const fault = faultOf(projectWith(config))
      expect(fault.code).toBe('ConfigDamaged')
      expect(fault.message).toContain('.flow/config.json')
      expect(fault.message).toContain(place)
      expect(fault.suggestion).not.toBe('')
    })
})

/** A good file somewhere else. */
function outside(): string {
  const path = join(temporaryFolder(), 'other.json')
  writeFileSync(path, '{}')
  return path
}

describe('what is not a plain file of a plain folder', () => {
  test.each<[string, (path: string) => void]>([
    ['a link', (path) => symlinkSync(outside(), path)],
    ['a link that leads nowhere', (path) => symlinkSync('/nowhere/at/all', path)],
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a file larger than 1 MiB', (path) => writeFileSync(path, `{}${' '.repeat(1_048_576)}`)],
    ['bytes that are no text', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))],
  ])('%s is damaged', (_name, make) => {
    const root = projectWith({})
    rmSync(join(root, '.flow/config.json'))
    make(join(root, '.flow/config.json'))
    expect(faultOf(root).code).toBe('ConfigDamaged')
  })

  verifies('TOOL-136', 'a folder that is a link is damaged, even to a good file', () => {
    const root = projectWith()
    symlinkSync(join(projectWith({}), '.flow'), join(root, '.flow'))
    expect(faultOf(root)).toMatchObject({ code: 'ConfigDamaged' })
  })

  verifies('TOOL-136', 'a file where the folder should be is damaged', () => {
    const root = projectWith()
    writeFileSync(join(root, '.flow'), '{}')
    expect(faultOf(root)).toMatchObject({ code: 'ConfigDamaged' })
  })
})

verifies('TOOL-137', 'the lists of the file add to the built-in ones and cannot empty them', () => {
  const names = fc.constantFrom('private/', 'id_rsa', '.env', '.git/', '*.pem')
  fc.assert(
    fc.property(fc.array(names), (block_patterns) => {
      const root = projectWith({ scope: { block_patterns }, secrets: { redact_patterns: [] } })
      const policy = followProjectPolicy(root)()
      expect(policy.block_patterns).toEqual(expect.arrayContaining([...BUILT_IN, ...block_patterns]))
      const redactor = createRedactor({ patterns: policy.redact_patterns })
      expect(redactor.hasSecret(`key = sk-${'a1B2'.repeat(8)}`)).toBe(true)
    }),
    { numRuns: 25 },
  )
})

verifies('TOOL-138', 'a pattern that ends in dots hides the whole token after its prefix', () => {
  const policy = followProjectPolicy(projectWith({ secrets: { redact_patterns: ['zz-...'] } }))()
  const redactor = createRedactor({ patterns: policy.redact_patterns })
  expect(redactor.redact('see zz-abcdefgh123 here')).toBe('see [REDACTED:owner_pattern] here')
  expect(redactor.redact('zzzabc')).toBe('zzzabc')
})

test('shared paths always lie inside the project', () => {
  const segment = fc.constantFrom('a', 'b c', '..', '.', '', 'ä', '...', '~')
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
      const root = projectWith({ scope: { shared_paths: [segments.join('/')] } })
      let roots: readonly string[] = []
      try {
        roots = followProjectPolicy(root)().shared_roots
      } catch (error) {
        expect(error).toMatchObject({ code: 'ConfigDamaged' })
      }
      for (const shared of roots) expect(shared.startsWith(`${root}/`)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

describe('toolchains', () => {
  const config = {
    toolchains: {
      'services/shop/': { test: { command: ['npm', 'test', '--', '{target}'], env: { CI: '1' } } },
      '.': { lint: { command: ['cargo', 'clippy'], timeout_seconds: 20 } },
      '*': { test: { command: ['pytest', '{target}'] }, lint: { command: ['eslint', '{target}'] } },
    },
  }

  test('are those of the service, and else those of all services', () => {
    const root = projectWith(config)
    const { toolchainOf } = followProjectPolicy(root)()
    const argv = (service: string) => {
      const { test: tests, lint } = toolchainOf(join(root, service))
      return [tests?.argv.join(' '), lint?.argv.join(' ')]
    }
    expect(argv('services/shop')).toEqual(['npm test -- {target}', 'eslint {target}'])
    expect(argv('services/shop2')).toEqual(['pytest {target}', 'eslint {target}'])
    expect(argv('services')).toEqual(['pytest {target}', 'eslint {target}'])
    expect(argv('.')).toEqual(['pytest {target}', 'cargo clippy'])
    expect(toolchainOf(join(root, 'services/shop')).test).toEqual({
      argv: ['npm', 'test', '--', '{target}'],
      timeout_seconds: 300,
      env: { CI: '1' },
    })
    expect(toolchainOf(root).lint?.timeout_seconds).toBe(20)
  })
})

function isolationOf(read: () => { isolation_level: string }): string {
  try {
    return read().isolation_level
  } catch {
    return 'damaged'
  }
}

describe('an edit', () => {
  test('counts from the next call, whatever it is', () => {
    const root = projectWith()
    const read = followProjectPolicy(root)
    const seen = [isolationOf(read)]
    for (const level of ['SHARED', 'STRICT', 'NONE', 'SHARED']) {
      writeConfig(root, { scope: { service_isolation: level } })
      seen.push(isolationOf(read))
    }
    rmSync(join(root, '.flow/config.json'))
    seen.push(isolationOf(read))
    expect(seen).toEqual(['STRICT', 'SHARED', 'STRICT', 'damaged', 'SHARED', 'STRICT'])
  })

  test('counts even when the file keeps its size and its times, because it is another file', () => {
    const root = projectWith({ scope: { service_isolation: 'SHARED' } })
    const path = join(root, '.flow/config.json')
    const long_ago = new Date('2026-01-01')
    utimesSync(path, long_ago, long_ago)
    const read = followProjectPolicy(root)
    expect(isolationOf(read)).toBe('SHARED')
    writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replace('SHARED', 'STRICT'))
    utimesSync(`${path}.new`, long_ago, long_ago)
    renameSync(`${path}.new`, path)
    expect(isolationOf(read)).toBe('STRICT')
  })

  test('changes the revision that audit records name', () => {
    const root = projectWith({})
    const read = followProjectPolicy(root)
    const first = read().revision
    writeConfig(root, { version: 2 })
    expect(read().revision).not.toBe(first)
    expect(first).toMatch(/^[0-9a-f]{12}$/)
  })
})

test('every example of the guide loads', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/toolbox-policy.md'), 'utf8')
  const examples = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string)
  expect(examples.length).toBeGreaterThan(8)
  for (const example of examples) expect(() => followProjectPolicy(projectWith(example))()).not.toThrow()
  const said = new Set(examples.flatMap((example) => Object.keys(JSON.parse(example))))
  expect([...said].toSorted()).toEqual(
    [
      'git',
      'guard',
      'knowledge',
      'limits',
      'rate_limits',
      'scope',
      'secrets',
      'sudo',
      'system',
      'toolchains',
      'tools',
      'version',
    ].toSorted(),
  )
})
