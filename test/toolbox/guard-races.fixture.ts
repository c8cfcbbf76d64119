import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** How long the guard stands against one attack. */
const GUARD_MS = 1_500
/** How long the attack may take to win against code that looks first and opens then. */
const CONTROL_MS = 60_000

/** The command that attacks: compiled where there is a compiler. */
export function makeAttacker(folder: string): string[] {
  if (spawnSync('gcc', ['--version']).status !== 0) {
    console.warn('no gcc here: the attacker runs in Node, and is slower')
    return [process.execPath, join(import.meta.dirname, 'guard-attacker.ts')]
  }
  const program = join(folder, 'attacker')
  execFileSync('gcc', ['-O2', '-o', program, join(import.meta.dirname, 'guard-attacker.c')])
  return [program]
}

/** Attacks while `round` is called over and over; answers with the number of swaps and of calls. */
export async function raceGuard(
  command: string[],
  round: () => void,
): Promise<{ swaps: number; calls: number }> {
  const attacker = await startAttacker(command)
  const end = performance.now() + GUARD_MS
  let calls = 0
  try {
    for (; performance.now() < end; calls += 1) round()
  } finally {
    attacker.child.kill('SIGTERM')
  }
  return { swaps: await attacker.swaps, calls }
}

/** Attacks until `isWon` says that the careless code was beaten; answers whether it ever was. */
export async function raceControl(command: string[], isWon: () => boolean): Promise<boolean> {
  const attacker = await startAttacker(command)
  const end = performance.now() + CONTROL_MS
  let won = false
  try {
    while (!won && performance.now() < end) won = succeeds(isWon)
  } finally {
    attacker.child.kill('SIGTERM')
  }
  await attacker.swaps
  return won
}

/** What stumbles over a swap has not been beaten by it. */
function succeeds(isWon: () => boolean): boolean {
  try {
    return isWon()
  } catch {
    return false
  }
}

export async function startAttacker([program = '', ...words]: string[]): Promise<{
  child: ChildProcess
  swaps: Promise<number>
}> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      resolve(undefined)
    })
  })
  const swaps = once(child, 'close').then(([status]) => {
    if (status !== 0) throw new Error(`the attacker gave up: ${status}`)
    return Number(output.trim().split('\n')[1])
  })
  await ready
  return { child, swaps }
}
