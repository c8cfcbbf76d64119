import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkDocument } from './chunk-document.ts'

const outline = (path: string, text: string) =>
  chunkDocument(path, text).map(
    ({ kind, name, start_line, end_line }) => `${kind} ${name} ${start_line}-${end_line}`,
  )

const PROSE = { cell_type: 'markdown', metadata: {}, source: ['# Rates\n', 'How they are found.'] }
const CODE = {
  cell_type: 'code',
  execution_count: 1,
  metadata: {},
  outputs: [{ name: 'stdout', output_type: 'stream', text: ['source of heron\n'] }],
  source: ['import math\n', '\n', 'def rate(x):\n', '    """Gives a "rate".\\n"""\n', '    return x\n'],
}
const USE = { cell_type: 'code', metadata: { source: ['no'] }, outputs: [], source: ['rate(3)'] }

const notebookOf = (cells: readonly object[], metadata: object = {}) => ({ cells, metadata, nbformat: 4 })

describe('a notebook is cut into its cells', () => {
  it('at the lines of its file, by headings and definitions, and without outputs', () => {
    const text = JSON.stringify(notebookOf([PROSE, CODE, USE]), undefined, 1)
    const lines = text.split('\n')
    expect(outline('a.ipynb', text)).toEqual([
      'doc Rates 7-8',
      'code Rates 25-25',
      'code rate 27-29',
      'code Rates 41-41',
    ])
    expect(lines[26]).toContain('def rate(x)')
    expect(lines[40]).toContain('rate(3)')
    const chunks = chunkDocument('a.ipynb', text)
    expect(chunks[2]?.text).toBe('def rate(x):\n    """Gives a "rate".\\n"""\n    return x')
    expect(chunks.map((chunk) => chunk.text).join('\n')).not.toContain('heron')
  })

  it('in the language of its code, and as a test where the path is one', () => {
    const cell = { ...USE, source: ['export function add(a) {\n', '  return a\n', '}'] }
    const metadata = { language_info: { file_extension: '.ts' } }
    const text = JSON.stringify(notebookOf([cell], metadata), undefined, 1)
    expect(outline('tests/a.ipynb', text).map((line) => line.replace(/ \d.*/, ''))).toEqual(['test add'])
  })

  it('also where the file has a cell, or all of them, on one line', () => {
    const cells = [{ ...PROSE, source: PROSE.source.join('') }, CODE]
    const texts = (space: number) =>
      chunkDocument('a.ipynb', JSON.stringify(notebookOf(cells), undefined, space)).map(({ text }) => text)
    expect(texts(1)[0]).toBe('# Rates How they are found.')
    expect(texts(0)).toEqual([expect.stringMatching(/^# Rates How they are found\. import math {2}def rate/)])
  })

  it('and is plain text where it is none', () => {
    for (const text of ['{"cells": [1]}', '{"cells": [', '{"worksheets": []}', 'null', '[]', 'print(1)'])
      expect(chunkDocument('a.ipynb', text).map((chunk) => chunk.text)).toEqual(
        chunkDocument('a.json', text).map((chunk) => chunk.text),
      )
  })

  it('whatever it holds, with lines that it has and words that are its own', () => {
    const source = fc.oneof(fc.string(), fc.array(fc.string()), fc.jsonValue())
    const cell = fc.record({
      cell_type: fc.constantFrom('code', 'markdown', 1),
      source,
      outputs: fc.jsonValue(),
    })
    fc.assert(
      fc.property(fc.array(cell), fc.constantFrom(undefined, 2), (cells, space) => {
        const text = JSON.stringify(notebookOf(cells), undefined, space)
        const count = text.split('\n').length
        for (const chunk of chunkDocument('a.ipynb', text)) {
          expect(chunk.start_line).toBeGreaterThan(0)
          expect(chunk.end_line).toBeLessThanOrEqual(count)
          expect(chunk.text.split('\n')).toHaveLength(chunk.end_line - chunk.start_line + 1)
        }
      }),
      { numRuns: 300 },
    )
  })
})
