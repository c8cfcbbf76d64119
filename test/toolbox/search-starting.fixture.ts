import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { asFault } from '../../src/domains/toolbox/as-fault.ts'
import { searchTree } from '../../src/domains/toolbox/search/search-tree.ts'
import { openPatterns } from '../../src/platform/patterns/open-patterns.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'

/** A program that searches while something that threads need is missing; prints how each try ended. */
const [, , what = '', service_root = ''] = process.argv
const scope = { service_root, shared_roots: [], block_patterns: [], hard_link_stores: [] }
const redactor = createRedactor()
const { signal } = new AbortController()
const patterns = openPatterns()

async function tell(work: Promise<unknown>): Promise<string> {
  try {
    return String(await work)
  } catch (error) {
    const fault = asFault(error)
    return fault ? `${fault.code}: ${fault.message}` : `InternalError: ${String(error)}`
  }
}

const search = () =>
  tell(
    searchTree({ scope, path: '.', regex: 'hel+o', recursive: true, redactor, signal }).then(
      ({ count }) => count,
    ),
  )
const find = () => tell(patterns.findAll('a+', 'aab').then(({ length }) => length))

function takeAll(): number[] {
  const held: number[] = []
  try {
    for (;;) held.push(openSync('/dev/null', 'r'))
  } catch {
    return held
  }
}

const answers: string[] = []
if (what === 'lost folder') {
  const lost = `${service_root}-lost`
  mkdirSync(lost)
  process.chdir(lost)
  rmSync(lost, { recursive: true })
  answers.push(await search(), await find())
} else {
  const held = takeAll()
  answers.push(await search(), await find())
  const later = search()
  setTimeout(() => held.map((fd) => closeSync(fd)), 100)
  answers.push(await later, await find())
}
process.stdout.write(JSON.stringify(answers))
process.exit(0)
