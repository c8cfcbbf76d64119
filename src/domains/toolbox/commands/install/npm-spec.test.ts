import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPackageName, isPlainVersion, isRegistrySpec } from './npm-spec.ts'

const TAKEN = [
  '',
  '*',
  '1',
  '1.x',
  '1.2.3',
  'v1.2.3',
  '^1.2.3',
  '~1.2',
  '>=1 <2',
  ' >= 1.0.0',
  '1.2.3 - 2.3.4',
  'latest',

  '1 || 2',
  '=1.0.0',
  '1.0.0-alpha.1+build.5',
  'next-11',
  'npm:foo@1.2.3',
  'npm:@a/b@^1',
  'npm:foo',
  '<0.0.0',
]
const REFUSED = [
  'http://x.test/a',
  'https://x.test/a.tgz',
  'HTTP://x.test',
  'git://x.test/a',
  'git+ssh://git@x.test/a.git',

  'git+file:///a',
  'git@x.test:a/b',
  'git@x.test:a/b.git#1',
  'ssh://x.test/a',
  'a/b',
  'a/b#1',
  'github:a/b',

  'gitlab:a/b',
  'bitbucket:a/b',
  'gist:11081aaa281',
  'file:../a',
  'file:a',
  'link:../a',
  'portal:../a',
  '../a',

  './a',
  '.',
  '..',
  '/a',
  '~/a',
  'C:\\a',
  'c:a',
  'a\\b',
  'a.tgz',
  'a.tar.gz',
  'a.tar',
  'a.tgz ',
  'workspace:*',

  'patch:a@1',
  'catalog:',
  'npm:foo@http://x.test/a',
  'npm:foo@file:a',
  'npm:a/b',
  'npm:npm:a@1',
  'npm:../a',
  '%2e%2e',
  'foo@1',
  '1\n2',
  'exec:a',
  'npm:',
  'npm:@1',
  '$a',
  'a b?c',
  ' ./a',
  '//x.test/a',
]

describe('what a need says', () => {
  test.each(TAKEN)('%j is for the registry', (spec) => expect(isRegistrySpec(spec)).toBe(true))
  test.each(REFUSED)('%j is not', (spec) => expect(isRegistrySpec(spec)).toBe(false))

  test('with a scheme, a slash or the form of a path is never for the registry', () => {
    const rest = fc.string({ unit: 'grapheme' })
    const scheme = fc
      .stringMatching(/^[A-Za-z][A-Za-z0-9+.-]{0,10}$/)
      .filter((name) => name.toLowerCase() !== 'npm')
    const odd = fc.oneof(
      fc.tuple(scheme, fc.constantFrom(':', '://'), rest),
      fc.tuple(rest, fc.constantFrom('/', '\\', ':', '@'), rest).filter(([before]) => !/^npm$/i.test(before)),
      fc.tuple(fc.constantFrom('.', '..', './', '~/', '/'), rest),
      fc.tuple(rest, fc.constantFrom('.tgz', '.tar', '.tar.gz')),
      fc.tuple(fc.constant('npm:a@'), scheme, fc.constant('://'), rest),
    )
    fc.assert(
      fc.property(odd, (parts) => {
        const spec = parts.join('')
        fc.pre(!/^npm:/i.test(spec) || spec.startsWith('npm:a@'))
        expect(isRegistrySpec(spec)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})

test('only names and versions of the registry are plain', () => {
  for (const name of ['a', '@a/b', 'JSONStream', 'a.b-c_d', 'lodash.merge'])
    expect(isPackageName(name), name).toBe(true)
  for (const name of [
    '',
    'http:x',
    'a/b',
    '@a',
    '@/b',
    '.',
    '..',
    '.a',
    '@a/..',
    '@a/.b',
    'a b',
    'a@1',
    'a\n',
    '@../a',
  ])
    expect(isPackageName(name), name).toBe(false)
  for (const version of ['1.2.3', '1.2.3-rc.1', '1.2.3+4'])
    expect(isPlainVersion(version), version).toBe(true)
  for (const version of ['', '1', 'latest', 'http://x.test/1.2.3', '1.2.3/..', '1.2.3\n', 'file:1.2.3'])
    expect(isPlainVersion(version), version).toBe(false)
})
