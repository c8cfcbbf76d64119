import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseManifest, patchManifest, renderManifest } from './manifest.ts'

const path = fc.oneof(
  fc.constantFrom('a', 'b', 'c/d', '__proto__', 'constructor', '"', ',\n}', '1'),
  fc.string({ minLength: 1 }),
)
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/)

describe('a manifest', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(path, sha256)), (entries) => {
        const documents = new Map(entries)
        expect(parseManifest(renderManifest(documents))).toEqual(documents)
      }),
    )
  })

  test('with some lines changed is the one written anew, whatever the order', () => {
    const change = fc.tuple(path, fc.option(sha256, { nil: undefined }))
    fc.assert(
      fc.property(fc.array(fc.tuple(path, sha256)), fc.array(fc.array(change)), (entries, rounds) => {
        const documents = new Map(entries)
        let text = renderManifest(documents)
        for (const round of rounds) {
          text = patchManifest(text, new Map(round))
          for (const [name, now] of new Map(round)) {
            if (now === undefined) documents.delete(name)
            else documents.set(name, now)
          }
          expect(parseManifest(text)).toEqual(documents)
        }
      }),
    )
  })

  test('of another form is none', () => {
    for (const text of ['', '{', '[]', 'null', '{"a":1}', '{"a":"xyz"}', `{"":"${'a'.repeat(64)}"}`])
      expect(parseManifest(text), text).toBeUndefined()
  })
})
