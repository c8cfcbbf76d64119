import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/store/temporary-folder.ts'
import { parseAuditKey } from '../audit-key.ts'
import { signEnd } from './end-statement.ts'
import { appendEnd, findLastEnd, linesOf } from './ends-file.ts'

const key = parseAuditKey('ab'.repeat(32), 'the key of a test')
const end = (seq: number) => signEnd(key, { seq, hash: 'c'.repeat(64), at: '2026-01-01T00:00:00.000Z' })

test('the last end is found behind whatever else the file ends in, and a torn line stays one of its own', async () => {
  const path = join(temporaryFolder(), 'ends.jsonl')
  expect(findLastEnd(path)).toBe(undefined)
  writeFileSync(path, '')
  expect(findLastEnd(path)).toBe(undefined)
  appendEnd(path, end(1))
  appendEnd(path, end(2))
  expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(end(1))}\n${JSON.stringify(end(2))}\n`)
  expect(findLastEnd(path)).toEqual(end(2))

  appendFileSync(path, JSON.stringify(end(3)).slice(0, 50))
  expect(findLastEnd(path)).toEqual(end(2))
  appendEnd(path, end(4))
  expect(findLastEnd(path)).toEqual(end(4))
  const lines: string[] = []
  for await (const line of linesOf(path)) lines.push(line)
  expect(lines.map((line) => line.length)).toEqual(
    [1, 2, 3, 4].map((seq) => (seq === 3 ? 50 : JSON.stringify(end(seq)).length)),
  )
})

test('it is looked for in the last 128 KiB', () => {
  const path = join(temporaryFolder(), 'ends.jsonl')
  appendEnd(path, end(1))
  const { size } = statSync(path)
  appendFileSync(path, 'x'.repeat(131_072 - size))
  expect(findLastEnd(path)).toEqual(end(1))
  appendFileSync(path, 'x')
  expect(findLastEnd(path)).toBe(undefined)
})
