import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { followProjectPolicy } from '../../src/domains/toolbox/policy/follow-project-policy.ts'
import { migrateConfigTool } from '../../src/domains/toolbox/system/migrate-config.ts'
import { replaceFile } from '../../src/domains/toolbox/system/replace-file.ts'
import { setTopLevelNumber } from '../../src/domains/toolbox/system/set-top-level-number.ts'
import { verifies } from '../requirements/verifies.ts'
import { ACCESS, accessList, attributesOf, setAttribute } from './file-attributes.fixture.ts'
import { CONTRACT_EXAMPLE, projectWith, writeConfig } from './policy-file.fixture.ts'
import { callTool, faultOf } from './system-call.fixture.ts'

function migrate(project_root: string, target_version: unknown) {
  return callTool(migrateConfigTool, { target_version }, { project_root })
}

function textOf(root: string): string {
  return readFileSync(join(root, '.flow/config.json'), 'utf8')
}

const UNKNOWN = `{
  "x-owner" : "kept as it is",
    "version":1 ,
  "scope": {"block_patterns": [ "private/" ], "later": [1.0, 1e3, 12345678901234567890]},
  "\\u0074ools": {}
}
`

verifies('TOOL-120', 'a file gets the new version and keeps everything else, unknown keys too', async () => {
  const root = projectWith(UNKNOWN)
  expect(await migrate(root, 2)).toMatchObject({
    path: '.flow/config.json',
    from_version: 1,
    to_version: 2,
    changed: true,
    problem: expect.stringContaining('later'),
  })
  expect(textOf(root)).toBe(UNKNOWN.replace('"version":1 ,', '"version":2 ,'))
  expect(readdirSync(join(root, '.flow'))).toEqual(['config.json'])
})

verifies('TOOL-120', "the contract's example is migrated and still means the same", async () => {
  const root = projectWith(CONTRACT_EXAMPLE)
  const before = followProjectPolicy(root)()
  expect(await migrate(root, '2')).toMatchObject({ changed: true, problem: null })
  expect(JSON.parse(textOf(root))).toEqual({ version: 2, ...JSON.parse(CONTRACT_EXAMPLE) })
  const { revision: _revision, ...after } = followProjectPolicy(root)()
  expect(JSON.stringify(after)).toBe(JSON.stringify({ ...before, revision: undefined }))
  const text = textOf(root)
  expect(await migrate(root, 2)).toMatchObject({ from_version: 2, changed: false })
  expect(textOf(root)).toBe(text)
})

verifies('TOOL-120', 'an unknown target is refused and changes nothing', async () => {
  const root = projectWith({ version: 2 })
  const before = statSync(join(root, '.flow/config.json'))
  for (const target of [0, 1, 3, -1, 1.5, '3', 'v2', '2.0', '', ' 2', 'latest', null, true])
    expect(await faultOf(migrate(root, target))).toMatchObject({ code: 'ValidationError' })
  expect(statSync(join(root, '.flow/config.json'))).toEqual({ ...before, atimeMs: expect.any(Number) })
  expect(readdirSync(join(root, '.flow'))).toEqual(['config.json'])
})

describe('a file that cannot be migrated stays as it is', () => {
  test.each<[string, string]>([
    ['half a document', '{"scope": {'],
    ['a repeated key', '{"version":1,"version":1}'],
    ['no object', '[1]'],
    ['a version of text', '{"version":"1"}'],
    ['a version to come', '{"version":7}'],
  ])('%s', async (_name, text) => {
    const root = projectWith(text)
    expect((await faultOf(migrate(root, 2))).code).toBe('ConfigDamaged')
    expect(textOf(root)).toBe(text)
  })

  test('a link', async () => {
    const [target, root] = [projectWith(CONTRACT_EXAMPLE), projectWith()]
    symlinkSync(join(target, '.flow'), join(root, '.flow'))
    expect((await faultOf(migrate(root, 2))).code).toBe('ConfigDamaged')
    expect(textOf(target)).toBe(CONTRACT_EXAMPLE)
  })

  test('none at all', async () => {
    expect((await faultOf(migrate(projectWith(), 2))).code).toBe('FileNotFound')
  })
})

verifies('TOOL-120', 'a file that was changed meanwhile is left to whoever changed it', () => {
  const root = projectWith(CONTRACT_EXAMPLE)
  const path = join(root, '.flow/config.json')
  const before = statSync(path)
  writeConfig(root, { version: 1 })
  expect(replaceFile(path, '{}', before, 'draft')).toBe(false)
  expect(textOf(root)).toBe('{"version":1}')
  expect(replaceFile(path, '{}', statSync(path), 'draft')).toBe(true)
  expect(textOf(root)).toBe('{}')
  expect(readdirSync(join(root, '.flow'))).toEqual(['config.json'])
})

test('the file keeps its rights', async () => {
  const root = projectWith(CONTRACT_EXAMPLE)
  chmodSync(join(root, '.flow/config.json'), 0o640)
  await migrate(root, 2)
  expect(statSync(join(root, '.flow/config.json')).mode & 0o777).toBe(0o640)
})

test('the file keeps its access control list and attributes, so that its group gets no rights that it had not', async () => {
  const root = projectWith(CONTRACT_EXAMPLE)
  const path = join(root, '.flow/config.json')
  chmodSync(path, 0o600)
  const list = accessList(['user_obj', 6], ['user', 6, 12_345], ['group_obj', 0], ['mask', 6], ['other', 0])
  setAttribute(path, ACCESS, list)
  setAttribute(path, 'user.note', Buffer.from('x'))
  const before = attributesOf(path)
  await migrate(root, 2)
  expect(JSON.parse(textOf(root)).version).toBe(2)
  expect(attributesOf(path)).toEqual(before)
})

describe('setting a number in a text', () => {
  const key = fc.constantFrom('version', 'a', '"', 'v{', 'ver\nsion')
  const document = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
  const space = fc.constantFrom(undefined, 2, '\t')

  test('sets it and changes no other value, key or order', () => {
    fc.assert(
      fc.property(document, space, fc.boolean(), (value, indent, hasVersion) => {
        const { version: _old, ...others } = value
        const text = `\n ${JSON.stringify(hasVersion ? { ...others, version: 1 } : others, null, indent)}\n`
        // As the text has it: JSON knows no -0.
        const before = JSON.parse(text)
        const after = setTopLevelNumber(text, 'version', 2)
        expect(JSON.parse(after)).toEqual({ ...before, version: 2 })
        expect(Object.keys(JSON.parse(after)).filter((name) => name !== 'version')).toEqual(
          Object.keys(others),
        )
        const isInserted = !hasVersion && after.length > text.length
        expect(hasVersion ? after.length === text.length : isInserted).toBe(true)
      }),
    )
  })

  test('takes a key of an inner object or a text for what it is', () => {
    const text = '{"a":{"version":1},"b":"\\"version\\":1","c":["version",1]}'
    expect(setTopLevelNumber(text, 'version', 2)).toBe(`{"version":2,${text.slice(1)}`)
    expect(setTopLevelNumber('{ }', 'version', 2)).toBe('{"version": 2}')
    expect(setTopLevelNumber('{"\\u0076ersion": 1 }', 'version', 2)).toBe('{"\\u0076ersion": 2 }')
  })
})
