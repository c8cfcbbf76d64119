import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSymbol } from '../usage/tree-job.ts'
import { findImportLanguage, type ImportLanguage, readImports } from './import-names.ts'

const LANGUAGES: readonly ImportLanguage[] = ['script', 'python', 'go', 'rust', 'java']

describe('imports', () => {
  test('are read in every form of their language', () => {
    const forms: Readonly<Record<ImportLanguage, readonly [text: string, imports: readonly string[]]>> = {
      script: [
        `import a from './a'; import './b.css'
import { x,
  y } from "./c"
export * from './d'
const e = require('./e'), f = import(\`./f\`)
vi.mock('./g', () => ({}))
/* import './no' */ // import './no'
// import './no'
const s = 'from here'`,
        ['./a', './b.css', './c', './d', './e', './f', './g'],
      ],
      python: [
        'import a, b.c as d\nfrom . import e\nfrom ..f.g import (h,\n  i as j)\n# import no\nfrom k import *\n',
        ['a', 'b.c', '.', '.e', '..f.g', '..f.g.h', '..f.g.i', 'k'],
      ],
      go: ['package p\nimport "a/b"\nimport (\n\t"c"\n\td "e.org/f" // "no"\n)\n', ['a/b', 'c', 'e.org/f']],
      rust: [
        'use a::{b, c::{d as e, self}};\npub use crate::f;\nmod g;\n// use no;\n',
        ['a::b', 'a::c::d', 'a::c::self', 'crate::f', 'self::g'],
      ],
      java: ['package p.q;\nimport a.b.C;\nimport static a.D.e;\nimport f.*;\n', ['a.b.C', 'a.D.e', 'f.*']],
    }
    for (const language of LANGUAGES) {
      const [text, expected] = forms[language]
      const { imports } = readImports(language, text)
      expect(imports, language).toEqual(expected)
    }
  })

  test('of any text are read without a fault', () => {
    const words = fc.constantFrom(
      'import ',
      'from ',
      'use ',
      '{',
      '}',
      '(',
      "'",
      '"',
      '/*',
      '*/',
      '\n',
      'a::',
      ',',
      'export ',
      ';',
    )
    const text = fc
      .array(fc.oneof(words, fc.string({ maxLength: 5 })), { maxLength: 200 })
      .map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), text, (language, given) => {
        for (const one of readImports(language, given).imports) expect(one).not.toBe('')
      }),
    )
  })

  test('take time in step with the text', () => {
    const pieces = [
      '/*',
      'export {',
      'import {',
      'use {',
      '\nuse ',
      '\nfrom a import (',
      '\nimport (',
      'require(   ',
      '\n   ',
    ]
    for (const piece of pieces) for (const language of LANGUAGES) readImports(language, piece.repeat(30_000))
    readImports('python', `from${' '.repeat(200_000)}`)
    const gap = `use ${' '.repeat(2_000)}{${','.repeat(1_900)}};\n`
    expect(readImports('rust', `${gap.repeat(100)}use  a :: { b  as  c ,d };`).imports).toEqual([
      'a::b',
      'a::d',
    ])
  }, 60_000)

  test('belong to files by their endings', () => {
    expect(
      ['a.ts', 'a.d.mts', 'b.jsx', 'c.pyi', 'd.go', 'e.rs', 'F.java', 'g.rb', 'ts'].map(findImportLanguage),
    ).toEqual(['script', 'script', 'script', 'python', 'go', 'rust', 'java', undefined, undefined])
  })
})

describe('a symbol', () => {
  test('is cut at its separators, or is none', () => {
    const name = fc.stringMatching(/^[A-Za-z_$][\w$]{0,8}$/)
    const separator = fc.constantFrom('.', '::', '#')
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 8 }),
        separator,
        fc.constantFrom('', '()'),
        (parts, sign, end) => {
          expect(findSymbol(parts.join(sign) + end)).toEqual({
            name: parts.at(-1),
            qualifiers: parts.slice(0, -1),
          })
        },
      ),
    )
    expect(findSymbol('A.#x')).toEqual({ name: '#x', qualifiers: ['A'] })
    fc.assert(fc.property(fc.string(), (text) => void findSymbol(text)))
  })
})
