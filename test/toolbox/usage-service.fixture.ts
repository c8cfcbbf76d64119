import { expect } from 'vitest'
import { findUsage } from '../../src/domains/toolbox/knowledge/find-usage.ts'
import type { FilesProject } from './files-project.fixture.ts'

/** What find_usage finds, as `file:line:column kind`. */
export async function usagesOf(project: FilesProject, symbol: string, more: object = {}): Promise<string[]> {
  const { code, data, message } = await project.call(findUsage, { symbol, ...more })
  if (!data) throw new Error(`${code}: ${message}`)
  return data.usages.map(({ file, line, column, kind }) => `${file}:${line}:${column} ${kind}`)
}

/** A text with marks at names, `«d»`, `«r»` or `«i»` before each, and what should be found at them. */
function marked(path: string, text: string): { text: string; expected: string[] } {
  const kinds = { d: 'definition', r: 'reference', i: 'import' } as const
  const expected: string[] = []
  let plain = ''
  for (const [index, piece] of text.split(/«([dri])»/).entries()) {
    if (index % 2 === 0) {
      plain += piece
      continue
    }
    const lines = plain.split('\n')
    expected.push(
      `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1} ${kinds[piece as keyof typeof kinds]}`,
    )
  }
  return { text: plain, expected: expected.toSorted((one, other) => orderOf(one) - orderOf(other)) }
}

function orderOf(line: string): number {
  return line.endsWith('definition') ? 0 : 1
}

/** What is found of a symbol in one file is just what is marked in it. */
export async function expectMarked(
  project: FilesProject,
  path: string,
  symbol: string,
  text: string,
): Promise<void> {
  const { text: plain, expected } = marked(path, text)
  project.put(path, plain)
  expect(await usagesOf(project, symbol, { path }), `${symbol} in ${path}`).toEqual(expected)
}
