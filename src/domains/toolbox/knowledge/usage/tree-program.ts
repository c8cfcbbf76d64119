import { createInterface } from 'node:readline'
import { FileFault, type Guard, GuardDenied } from '../../../../platform/guard/guard.ts'
import { openGuard } from '../../../../platform/guard/open-guard.ts'
import { type MapJob, TREE_PROGRAM_ARGUMENT, type TreeJob, type TreeMessage } from './tree-job.ts'

type Send = (message: TreeMessage) => void

/** Loads no more than the one job needs. */
async function work(job: TreeJob, send: Send): Promise<void> {
  const guard = openGuard(job.scope)
  try {
    if (job.task === 'usages') {
      const { walkUsages } = await import('./usage-walk.ts')
      send({ usages: await walkUsages(guard, job, send) })
    } else if (job.task === 'tests') {
      const { findTests } = await import('../related/relate-tests.ts')
      const { createRedactor } = await import('../../../../platform/redaction/redactor.ts')
      send({ tests: findTests(guard, job.file_path, createRedactor(job.redaction)) })
    } else await drawMap(guard, job, send)
  } finally {
    guard.close()
  }
}

async function drawMap(guard: Guard, job: MapJob, send: Send): Promise<void> {
  const { surveyTree } = await import('../map/map-survey.ts')
  const outer = job.outer && openGuard(job.outer)
  try {
    send({ map: surveyTree(guard, outer, job) })
  } finally {
    outer?.close()
  }
}

async function answer(job: TreeJob, send: Send): Promise<void> {
  try {
    await work(job, send)
  } catch (error) {
    if (error instanceof GuardDenied) send({ denied: error.reason, path: error.path })
    else if (error instanceof FileFault) send({ fault: error.code, path: error.path, message: error.message })
    else throw error
  }
}

/** One job on one line; the end of the input means that nobody waits for the answer any more. */
function answerOneJob(): void {
  const input = createInterface(process.stdin)
  input.once('line', (line) => {
    void answer(JSON.parse(line) as TreeJob, (message) => {
      process.stdout.write(`${JSON.stringify(message)}\n`)
    })
  })
  // A plain exit would wait for the parser.
  input.once('close', () => process.kill(process.pid, 'SIGKILL'))
}

// Whoever only looks at this file does not start it.
if (process.argv[2] === TREE_PROGRAM_ARGUMENT) answerOneJob()
