import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkBranchName, isBranchName } from './branch-name.ts'

function isAcceptedByGit(name: string): boolean {
  const { status } = spawnSync('git', ['check-ref-format', '--branch', name], {
    cwd: tmpdir(),
    env: { PATH: '/usr/bin' },
  })
  return status === 0
}

const WORDS = [
  'a',
  'main',
  'x1',
  'ö',
  'HEAD',
  '.lock',
  '..',
  '@{',
  '//',
  '/',
  '/',
  '.',
  '@',
  ' ',
  '\t',
  '\x7f',
]
const PIECES = [...WORDS, ...'{}-_~^:?*[]\\+=!#$%&\'"(|;,']

describe('a branch name', () => {
  verifies(
    'TOOL-090',
    'is one exactly where git takes it for one',
    () => {
      const name = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''))
      fc.assert(
        fc.property(name, (drawn) => {
          const isRefusedHere = drawn === '@' || drawn.startsWith('+')
          expect(isBranchName(drawn), drawn).toBe(!isRefusedHere && isAcceptedByGit(drawn))
        }),
        { numRuns: 200 },
      )
    },
    60_000,
  )

  test('is never more than git takes, whatever the characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (drawn) => {
        fc.pre(!drawn.includes('\0'))
        if (isBranchName(drawn)) expect(isAcceptedByGit(drawn), JSON.stringify(drawn)).toBe(true)
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  verifies('TOOL-090', 'that is none is refused with ValidationError', () => {
    const wrong = [
      '-f',
      '--detach',
      'a..b',
      'a b',
      '',
      '@',
      'HEAD',
      'a.lock',
      'a/.b',
      '/a',
      'a/',
      'a//b',
      '@{-1}',
    ]
    for (const name of [
      ...wrong,
      '-',
      'a\0b',
      'a\nb',
      'a\u202eb',
      '\ud800',
      'x'.repeat(201),
      'refs:x',
      '+main',
      'a*',
    ]) {
      expect(isBranchName(name), JSON.stringify(name)).toBe(false)
      expect(() => checkBranchName(name)).toThrow(expect.objectContaining({ code: 'ValidationError' }))
    }
    expect(() => checkBranchName('a b')).toThrow(ToolFault)
    for (const name of ['main', 'feature/login-1', 'größe', 'a.b', 'v1.0', 'a+b']) {
      expect(() => checkBranchName(name)).not.toThrow()
    }
  })
})
