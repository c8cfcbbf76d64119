import { resolve } from 'node:path'
import type { Extension } from '../operation-command.ts'
import { printAnswer } from '../output/output.ts'

const PATHS = ['project', 'out', 'from']

/** Folders and files are typed as seen from here; the hub is told where they are. */
export const knowledgeExtension: Extension = {
  flags: [],
  async act({ operation, invocation, input, call }) {
    const placed = Object.entries(input).map(([key, value]) =>
      PATHS.includes(key) && typeof value === 'string' ? [key, resolve(value)] : [key, value],
    )
    return printAnswer(operation, await call(Object.fromEntries(placed)), invocation)
  },
}
