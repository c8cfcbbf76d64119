import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type IndexEntry, parseIndexEntries } from './index-entries.ts'

const SKIPPED = 0x40000000
const INTENDED = 0x20000000
const word = fc.integer({ min: 0, max: 0xffff_ffff })
const piece = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.constantFrom('\n', '\t', ' ', '  ctime: 1:2\n', '\tflags: 0\n', '100644 ab 0\t', '  size: 3'),
)
const anyPath = fc
  .array(piece, { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join('').replaceAll('\0', ''))
  .filter((text) => text !== '')

const entry: fc.Arbitrary<IndexEntry> = fc.record({
  path: anyPath,
  mode: fc.constantFrom('100644', '100755', '120000', '160000'),
  id: fc.stringMatching(/^[0-9a-f]{40}$/),
  stage: fc.integer({ min: 0, max: 3 }),
  stat: fc.record({
    ctime_s: word,
    ctime_ns: word,
    mtime_s: word,
    mtime_ns: word,
    ino: word,
    uid: word,
    gid: word,
    size: word,
  }),
  is_skipped: fc.boolean(),
  is_intended: fc.boolean(),
})

/** As `git ls-files --stage --debug -z` prints it. */
function printed({ path, mode, id, stage, stat, is_skipped, is_intended }: IndexEntry): string {
  const flags = (is_skipped ? SKIPPED : 0) + (is_intended ? INTENDED : 0)
  const lines = [
    `  ctime: ${stat.ctime_s}:${stat.ctime_ns}`,
    `  mtime: ${stat.mtime_s}:${stat.mtime_ns}`,
    `  dev: 65024\tino: ${stat.ino}`,
    `  uid: ${stat.uid}\tgid: ${stat.gid}`,
    `  size: ${stat.size}\tflags: ${flags.toString(16)}`,
  ]
  return `${mode} ${id} ${stage}\t${path}\0${lines.join('\n')}\n`
}

test('the index is read as git lists it, whatever its names look like', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 6 }), (entries) => {
      expect(parseIndexEntries(entries.map(printed).join(''))).toEqual(entries)
    }),
  )
})

test('a list that was cut, or has another form, is refused and never read in part', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 3 }), fc.nat(), (entries, place) => {
      const last = printed(entries.at(-1) as IndexEntry)
      const text = entries.map(printed).join('')
      const cut = text.slice(0, text.length - 1 - (place % (last.length - 1)))
      expect(() => parseIndexEntries(cut)).toThrow('form that is not known')
    }),
  )
  for (const missing of ['  mtime: 1:2\n', 'dev: 65024\t', '\tflags: 0'])
    expect(() =>
      parseIndexEntries(
        '100644 ab 0\ta\0  ctime: 1:2\n  mtime: 1:2\n  dev: 65024\tino: 1\n  uid: 0\tgid: 0\n  size: 1\tflags: 0\n'.replace(
          missing,
          '',
        ),
      ),
    ).toThrow('form that is not known')
})
