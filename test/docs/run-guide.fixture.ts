import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'

export const ROOT = join(import.meta.dirname, '..', '..')

/** A guide, or the part of a page from one heading to the next of its kind. */
export function readPage(page: string, heading?: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8')
  if (heading === undefined) return text
  const [, part] = text.split(`\n## ${heading}\n`)
  if (part === undefined) throw new Error(`${page} has no part "${heading}".`)
  return part.split('\n## ')[0] as string
}

/** The blocks of a page in one language; `''` are those that a person types. */
export function blocksOf(page: string, language: string): string[] {
  const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  return blocks.filter(([, given]) => given === language).map(([, , block = '']) => block)
}

/** The commands of a page as a person would type them: its plain blocks without what the program answered. */
export function commandsOf(page: string): string {
  return blocksOf(page, '').map(typedLines).join('\n')
}

function typedLines(block: string): string {
  if (!/^\$ /m.test(block)) return block
  const typed = block.split('\n').filter((line) => line.startsWith('$ '))
  return typed.map((line) => line.slice(2)).join('\n')
}

/** The answers that a page shows, a line each; `…` stands for what is different each time. */
export function answersOf(page: string): RegExp[] {
  const shown = blocksOf(page, '').filter((block) => /^\$ /m.test(block))
  const lines = shown
    .flatMap((block) => block.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('$ '))
  return lines.map((line) => new RegExp(line.split('…').map(escaped).join('.*'), 'u'))
}

/** Each line that a page shows must be among what was printed, in the same order. */
export function expectShown(page: string, output: string): void {
  const printed = output.split('\n')
  let from = 0
  for (const answer of answersOf(page)) {
    const at = printed.findIndex((line, index) => index >= from && answer.test(line))
    expect(at, `${answer} is not in, or out of order in:\n${output}`).toBeGreaterThanOrEqual(from)
    from = at + 1
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Runs the commands of a page in the checkout, on a home of its own; everything that was printed. */
export async function runPage(page: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-guide-'))
  try {
    const script = `exec 2>&1\n${commandsOf(page).replaceAll('/tmp/knowtation-guide', join(folder, 'home'))}`
    const env = { ...process.env, KNOWTATION_HOME: join(folder, 'home') }
    return (await promisify(execFile)('bash', ['-c', script], { cwd: ROOT, env })).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
