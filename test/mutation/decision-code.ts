import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The code that decides. Each entry is a folder with all below it, or a file. */
const DECISION_CODE = [
  'src/operations',
  'src/platform/policy',
  'src/platform/identity',
  'src/platform/audit',
  'src/platform/locks',
  'src/platform/approvals',
  'src/platform/guard',
  'src/domains/flows/grants',
  'src/domains/flows/invoke',
  'src/domains/flows/approvals',
  'src/domains/flows/authoring',
  'src/domains/toolbox/loom',
  'src/domains/boundary',
  'src/boundary',
  'src/domains/control/owner',
  'src/domains/control/consents',
  'src/domains/control/approvals',
  'src/surfaces/http/oauth',
  'src/surfaces/http/console',
  'src/surfaces/http/arrival.ts',
  'src/surfaces/http/owner/owner-forms.ts',
  'src/surfaces/http/owner/owner-cookies.ts',
]

const isSource = (path: string) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path)

/** The source files in these folders and files, or of all the decision code, in the order of their names. */
export function listSources(root: string, wanted: readonly string[] = DECISION_CODE): string[] {
  const found = wanted.flatMap((path) => {
    const full = join(root, path)
    if (!existsSync(full)) throw new Error(`There is no ${path}.`)
    if (statSync(full).isFile()) return [path]
    const entries = readdirSync(full, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && isSource(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  })
  return [...new Set(found)].toSorted()
}

/** Which entry of the decision code a file belongs to; one of another place stands for itself. */
export function areaOf(file: string): string {
  return DECISION_CODE.find((entry) => file === entry || file.startsWith(`${entry}/`)) ?? file
}
