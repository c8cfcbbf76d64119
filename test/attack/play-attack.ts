import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, SeatName, Visit, Way } from './attack.ts'
import type { Session } from './hub-sessions.ts'
import type { Stage } from './stage.ts'
import { AIMS } from './tool-visits.ts'
import type { World } from './world.ts'

const LIMIT_MS = 300
const PASSES = 3
const CALLERS = 3
const READY_MS = 30_000
const LOOK_MS = 1
const CONTROL_MS = 60_000

/** What rounds of an attack came to. */
export interface Outcome {
  readonly name: string
  rounds: number
  /** How often the attacker did what it does, as far as it could tell. */
  acts: number
  calls: number
  /** One sentence for each round that broke something, with the way that it took. */
  readonly breaches: string[]
  readonly tools: Set<string>
}

export function newOutcome({ name }: Attack): Outcome {
  return { name, rounds: 0, acts: 0, calls: 0, breaches: [], tools: new Set() }
}

/** Plays one round one way, and looks at what it left. */
export async function playRound(
  stage: Stage,
  attack: Attack,
  way: Way,
  round: number,
  outcome: Outcome,
): Promise<void> {
  const { world } = stage
  world.reset()
  attack.prepare?.(world)
  const plan = layPlan(world, attack, round)
  const attacker = startAttacker(stage, attack, way, plan)
  await untilReady(plan, attacker)
  const is_doomed = way.run?.session === 'doomed'
  if (is_doomed) attacker.session?.kill?.()
  const answers = await visitAll(stage, attack, way, round, outcome)
  world.put(plan.stop, '')
  const said = await attacker.said
  if (is_doomed) {
    await attacker.session?.close()
    await settle(stage, attack)
  }
  outcome.rounds += 1
  outcome.acts += countActs(said)
  const all = [...answers, said]
  const hung = (is_doomed ? answers : all).filter((answer) => answer.startsWith(HANGS))
  const idle = existsSync(plan.ready) ? [] : [`the attacker did not begin: ${said.slice(0, SAID_SHOWN)}`]
  const found = [
    ...hung,
    ...idle,
    ...stage.lookout.look(all, attack.may_see),
    ...((await attack.look?.(world)) ?? []),
  ]
  if (found.length === 0) return
  outcome.breaches.push(`${way.name}: ${found.slice(0, SHOWN).join('; ')}`)
  stage.renew()
}

const SHOWN = 4
const SAID_SHOWN = 300

/** What a killed hub left is put in order by the next run in the same service. */
async function settle(stage: Stage, attack: Attack): Promise<void> {
  const session = await stage.session('stdio', attack.seats?.attacker ?? 'service')
  stage.world.put('plans/settle', 'limit 1\n')
  stage.world.put('/plans/settle', 'limit 1\n')
  await session.call('run_lint', { target: 'plans/settle' })
}

interface Plan {
  readonly folder: string
  readonly target: string
  readonly ready: string
  readonly stop: string
}

function layPlan(world: World, attack: Attack, round: number): Plan {
  const seat = attack.seats?.attacker ?? 'service'
  const target = seat === 'service' ? 'plans/attack' : 'plans/outer-attack'
  const at = seat === 'service' ? target : `/${target}`
  const acts = attack.acts(world, round)
  world.put(at, [`limit ${attack.limit_ms ?? LIMIT_MS}`, ...acts, ''].join('\n'))
  const folder = seat === 'service' ? world.service : world.project
  rmSync(world.at(`${at}.stop`), { force: true })
  rmSync(world.at(`${at}.ready`), { force: true })
  return { folder, target, ready: world.at(`${at}.ready`), stop: `${at}.stop` }
}

interface Running {
  isOver: boolean
  session?: Session
  readonly said: Promise<string>
}

function startAttacker(stage: Stage, attack: Attack, way: Way, { folder, target }: Plan): Running {
  const seat: SeatName = attack.seats?.attacker ?? 'service'
  const started = way.run
    ? stage.session(way.run.session, seat).then((session) => {
        running.session = session
        return session.call(way.run?.tool ?? '', { target })
      })
    : runLoose(stage.world, folder, target)
  const running: Running = {
    isOver: false,
    said: started
      .catch((error: unknown) => `no answer: ${error}`)
      .finally(() => {
        running.isOver = true
      }),
  }
  return running
}

/** The attacker as a process of its own, outside of any jail. */
async function runLoose(world: World, folder: string, target: string): Promise<string> {
  const child: ChildProcess = spawn(join(world.toolchain, 'attacker'), [target], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await once(child, 'close')
  return said
}

async function untilReady(plan: Plan, attacker: Running): Promise<void> {
  const end = performance.now() + READY_MS
  while (!existsSync(plan.ready) && !attacker.isOver && performance.now() < end) await sleep(LOOK_MS)
}

/** Makes the calls, a few at a time; each is made at least once, whatever has to wait for what. */
async function visitAll(
  stage: Stage,
  attack: Attack,
  way: Way,
  round: number,
  outcome: Outcome,
): Promise<string[]> {
  const visits = attack.visits(stage.world, round)
  const passes = attack.passes ?? PASSES
  const waiting = Array.from({ length: passes }, () => visits).flat()
  const end = performance.now() + (attack.limit_ms ?? LIMIT_MS)
  const answers: string[] = []
  const work = async (): Promise<void> => {
    for (let visit = waiting.shift(); visit; visit = waiting.shift()) {
      const is_again = answers.length >= visits.length
      if (is_again && performance.now() > end) return
      answers.push(await makeVisit(stage, attack, way, visit))
      outcome.tools.add(visit.tool)
      outcome.calls += 1
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, work))
  return answers
}

async function makeVisit(stage: Stage, attack: Attack, way: Way, { tool, args }: Visit): Promise<string> {
  const role = AIMS[tool]?.role ?? 'dev'
  const seat = attack.seats?.caller ?? 'service'
  // The other roles have their seats at the hub over HTTP only.
  const session = await (role === 'dev' ? stage.session(way.caller, seat) : stage.session('rest', seat, role))
  return session.call(tool, args).catch((error: unknown) => `${HANGS}: ${tool}: ${error}`)
}

/** What a call that never came back is written down as. */
export const HANGS = 'no answer'

function countActs(said: string): number {
  return [...said.matchAll(/(?:^|"|\\n|\n)[a-z]+ (\d+)(?=\\n|\n|$)/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}

/** Plays the same against a careless program; gives whether the attack ever won. */
export async function playControl(world: World, attack: Attack): Promise<boolean> {
  const end = performance.now() + CONTROL_MS
  let won = false
  for (let round = 0; !won && performance.now() < end; round++)
    won = await controlRound(world, attack, round, end)
  return won
}

async function controlRound(world: World, attack: Attack, round: number, end: number): Promise<boolean> {
  world.restore()
  attack.prepare?.(world)
  const plan = layPlan(world, attack, round)
  world.put(plan.stop.replace(/\.stop$/, ''), longer(attack.acts(world, round)))
  const said = runLoose(world, plan.folder, plan.target)
  while (!existsSync(plan.ready)) await sleep(LOOK_MS)
  let won = false
  do won = await attack.control.once(world, round)
  while (!won && !attack.control.each_anew && performance.now() < end)
  world.put(plan.stop, '')
  await said
  return won
}

function longer(acts: readonly string[]): string {
  return [`limit ${CONTROL_MS}`, ...acts, ''].join('\n')
}
