import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const COMPILERS = ['gcc', 'cc'] as const
const SOURCE = join(import.meta.dirname, 'attacker.c')

/** Compiles the attacker to this place. Without a compiler nothing here proves anything, so that is an error. */
export function compileAttacker(to: string): void {
  for (const compiler of COMPILERS) {
    const { status, error, stderr } = spawnSync(compiler, ['-O2', '-o', to, SOURCE], { encoding: 'utf8' })
    if (status === 0) return
    if (error === undefined) throw new Error(`${compiler} cannot compile attacker.c: ${stderr}`)
  }
  throw new Error(
    'No C compiler was found. The packages gcc and libc6-dev are missing: apt-get install -y gcc libc6-dev',
  )
}
