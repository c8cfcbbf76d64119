import { z } from 'zod'
import { FilePath } from '../files/file-path.ts'
import { orMissing } from '../files/missing-file.ts'
import { SOURCE_ROLES } from '../git/repository/repository.ts'
import { guardScopeOf } from '../guard-scope.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { COMMITS_LIMIT, type CoChanges, readCoChanges } from './related/co-change.ts'
import { requireFilePath } from './related/path-kind.ts'
import { type RelatedTest, rounded } from './related/relate-tests.ts'
import { isTestPath } from './related/test-names.ts'
import type { TestsEnd, TestsJob } from './usage/tree-job.ts'
import { runTreeJob } from './usage/tree-process.ts'

const SHOWN_LIMIT = 50
/** Once may be chance, such as the commit that began the project. */
const TOGETHER_AT_LEAST = 2
const TOGETHER_AT_MOST = 0.4
const TOGETHER_ENOUGH = 5

const Input = z.strictObject({ file_path: FilePath })
const Test = z.strictObject({
  path: z.string(),
  reasons: z.array(z.string()).describe('What speaks for it'),
  score: z.number().describe('From 0 to 1'),
})
const Output = z.strictObject({
  tests: z.array(Test).describe('The likeliest first'),
  capped: z.boolean().describe('Whether there are more, or a limit kept some from being looked at'),
  notes: z.array(z.string()).describe('What could not be looked at'),
})
type Call = ToolCall<z.output<typeof Input>>

/** Finds the tests of a source file. */
export const getRelatedTests: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'get_related_tests',
  description: [
    'Finds the tests that belong to a source file of your service, the likeliest first.',
    'Each has its reasons and a score from 0 to 1: tests that import it, directly, through one file between or',
    'through files that hand it on (TypeScript, JavaScript, Python, Go, Rust, Java); tests of its name (foo.test.ts, test_foo.py, foo_test.go, FooTest.java, tests/foo.rs, and',
    'those of other languages); tests inside a Rust file itself; and tests that were changed together with it in',
    `its last ${COMMITS_LIMIT} commits. Only files that you may read are named. At most ${SHOWN_LIMIT} are shown.`,
    'Run one with run_test. A file that does not exist fails with FileNotFound.',
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  async handle(call) {
    const path = orMissing(call, call.input.file_path, () =>
      requireFilePath(call.guard, call.input.file_path),
    )
    const [{ tests, capped }, changes] = await Promise.all([scanTests(call, path), readCoChanges(call, path)])
    const all = addCoChanges(call, tests, changes)
    const sorted = all.toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
    const unknown =
      changes.unknown === undefined ? [] : [`The git history was not looked at: ${changes.unknown}`]
    return {
      tests: sorted.slice(0, SHOWN_LIMIT).map((test) => ({ ...test, reasons: [...test.reasons] })),
      capped: capped || sorted.length > SHOWN_LIMIT,
      notes: unknown,
    }
  },
}

async function scanTests(call: Call, file_path: string): Promise<TestsEnd> {
  const { context, policy, hub, redactor, signal } = call
  const scope = guardScopeOf(context, policy, [hub.home.folder])
  let end: TestsEnd | undefined
  const job: TestsJob = { task: 'tests', scope, file_path, redaction: redactor.options }
  await runTreeJob(job, signal, (message) => {
    if ('tests' in message) end = message.tests
  })
  if (end) return end
  throw new ToolFault('Timeout', 'Looking through the service took too long.', 'Try again later.')
}

function addCoChanges({ guard }: Call, tests: readonly RelatedTest[], changes: CoChanges): RelatedTest[] {
  const known = new Map(tests.map((test) => [test.path, test]))
  for (const [path, count] of changes.together) {
    const before = known.get(path)
    const counts = before || count >= TOGETHER_AT_LEAST
    if (!counts || !isTestPath(path) || !isReadable(guard, path)) continue
    const share = (count / Math.max(1, changes.commits)) * Math.min(1, count / TOGETHER_ENOUGH)
    const commits = changes.commits === 1 ? 'commit' : 'commits'
    const reason = `changed together in ${count} of ${changes.commits} ${commits}`
    const score = rounded(1 - (1 - (before?.score ?? 0)) * (1 - TOGETHER_AT_MOST * share))
    known.set(path, { path, reasons: [...(before?.reasons ?? []), reason], score })
  }
  return [...known.values()]
}

function isReadable(guard: Call['guard'], path: string): boolean {
  try {
    guard.check(path, 'read')
    return true
  } catch {
    return false
  }
}
