import { createInterface } from 'node:readline'
import type { SgNode } from '@ast-grep/napi'
import { AST_PROGRAM_ARGUMENT, type AstAnswer, type AstJob } from './ast-job.ts'
import { listReadings, type ReadPattern } from './ast-pattern.ts'

/** The parsers that do not come with the engine. Each program works on one language, so it loads one at most. */
const PARSERS = {
  python: () => import('@ast-grep/lang-python'),
  go: () => import('@ast-grep/lang-go'),
  rust: () => import('@ast-grep/lang-rust'),
  java: () => import('@ast-grep/lang-java'),
} as const

async function work({ language, text, patterns }: AstJob): Promise<AstAnswer> {
  const { parseAsync, registerDynamicLanguage } = await import('@ast-grep/napi')
  const parser = Object.hasOwn(PARSERS, language.name) && PARSERS[language.name as keyof typeof PARSERS]
  if (parser) registerDynamicLanguage({ [language.name]: (await parser()).default })
  // In a thread, so that the end of the input is heard while a text takes its time.
  const parse = async (source: string): Promise<SgNode> => (await parseAsync(language.name, source)).root()
  const readings = await Promise.all(patterns.map((pattern) => listReadings(pattern, language, parse)))
  const broken = readings.findIndex(({ length }) => length === 0)
  if (broken >= 0) return { broken }
  const root = await parse(text)
  const found: [number, number][][] = []
  for (const [place, ways] of readings.entries()) {
    const nodes = findFirst(root, ways)
    if (nodes === undefined) return { broken: place }
    found.push(nodes.map((node) => [node.range().start.index, node.range().end.index]))
  }
  return { found }
}

/** What the first reading finds that finds anything; nothing at all where the engine takes none of them. */
function findFirst(root: SgNode, readings: readonly ReadPattern[]): SgNode[] | undefined {
  const tried = readings.map((reading) => findNodes(root, reading)).filter((nodes) => nodes !== undefined)
  return tried.find(({ length }) => length > 0) ?? tried[0]
}

/** The engine refuses what is several statements, or nothing but a variable for any number of nodes. */
function findNodes(root: SgNode, pattern: ReadPattern): SgNode[] | undefined {
  try {
    return root.findAll({ rule: { pattern: pattern as string } })
  } catch {
    return undefined
  }
}

/** One job on one line; the end of the input means that nobody waits for the answer any more. */
function answerOneJob(): void {
  const input = createInterface(process.stdin)
  input.once('line', async (line) => {
    process.stdout.write(`${JSON.stringify(await work(JSON.parse(line) as AstJob))}\n`)
  })
  // A plain exit would wait for the parser.
  input.once('close', () => process.kill(process.pid, 'SIGKILL'))
}

// Whoever only looks at this file does not start it.
if (process.argv[2] === AST_PROGRAM_ARGUMENT) answerOneJob()
