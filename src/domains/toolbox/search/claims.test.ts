import { expect, test } from 'vitest'
import { claimFile, createClaims } from './claims.ts'
import { FILES_LIMIT } from './search-limits.ts'

test('every path can be claimed once, as many as there may be', () => {
  const claims = createClaims()
  const paths = Array.from({ length: FILES_LIMIT }, (_, file) => `src/module-${file % 97}/file-${file}.ts`)
  expect(paths.filter((path) => !claimFile(claims, path))).toEqual([])
  expect(paths.filter((path) => claimFile(claims, path))).toEqual([])
})

test('paths that differ only in order or in one letter are different', () => {
  const claims = createClaims()
  for (const path of ['a/b', 'b/a', 'ab', 'ba', 'a/c', 'a/b ', 'é', 'e\u0301', '', '\0', '\0\0'])
    expect([path, claimFile(claims, path)]).toEqual([path, true])
})
