import { findPath } from './quoted-path.ts'

/** A run of lines as a file has them after a change: what was added and what stands around it. */
export interface ChangedRun {
  readonly path: string
  readonly lines: readonly { readonly number: number; readonly text: string; readonly is_added: boolean }[]
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Reads a patch as `git diff` prints it. Files that git takes for binary have no lines in it. */
export function parseAddedLines(patch: string): ChangedRun[] {
  const runs: { path: string; lines: { number: number; text: string; is_added: boolean }[] }[] = []
  let path: string | undefined
  let number = 0
  for (const line of patch.split('\n')) {
    const start = HUNK.exec(line)?.[1]
    if (line.startsWith('diff --')) [path, number] = [undefined, 0]
    else if (number === 0 && line.startsWith('+++ ')) path = targetOf(line)
    else if (start !== undefined && path !== undefined) {
      number = Number(start)
      runs.push({ path, lines: [] })
    } else if (number > 0 && /^[+ ]/.test(line)) {
      runs.at(-1)?.lines.push({ number: number++, text: line.slice(1), is_added: line.startsWith('+') })
    }
  }
  return runs
}

function targetOf(line: string): string | undefined {
  const printed = findPath(line.slice('+++ '.length).replace(/\t$/, ''))
  return printed?.startsWith('b/') ? printed.slice(2) : undefined
}
