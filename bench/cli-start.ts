import { spawnSync } from 'node:child_process'
import { PROGRAM, temporaryFolder } from './hub-process.ts'
import { idleShare, median } from './machine.ts'
import { tellVerdict } from './verdict.ts'

const RUNS = 40

/** How long one run of a program took, from its start to its end. */
function timeRun(args: readonly string[], isAnswer: (output: string) => boolean): number {
  const started = performance.now()
  const done = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const ms = performance.now() - started
  if (done.status !== 0 || !isAnswer(done.stdout)) throw new Error(`A run failed: ${done.stderr}`)
  return ms
}

const home = temporaryFolder()
const list = [PROGRAM, 'flow', 'list', '--json', '--home', home.folder]
const isList = (output: string) => JSON.parse(output).flows.length > 0
console.log(`Command line: \`knowtation flow list --json\` against \`node -e 0\`, ${RUNS} runs each, in turn`)
console.log(`  idle before ${((await idleShare()) * 100).toFixed(0)} %`)
// The first run makes the home and reads the starter flows.
timeRun(list, isList)
const times: { node: number[]; program: number[] } = { node: [], program: [] }
for (let run = 0; run < RUNS; run++) {
  times.node.push(timeRun(['-e', '0'], () => true))
  times.program.push(timeRun(list, isList))
}
home.remove()
const [node, program] = [median(times.node), median(times.program)]
console.log(`  node -e 0 ${node.toFixed(1)} ms, knowtation flow list ${program.toFixed(1)} ms (medians)`)
tellVerdict({
  name: 'cli flow list against node -e 0, time',
  measured: program / node,
  bar: '≤ 3.5',
  unit: '×',
})
