import { linkSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'

// The same as guard-attacker.c, for machines without a compiler.

const ROUNDS_AT_ONCE = 50
const LIFE_MS = 120_000
const [mode, one = '', two = '', three = ''] = process.argv.slice(2)
let rounds = 0

function quietly(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

const ATTACKS: Record<string, () => void> = {
  exchange: () => {
    renameSync(one, `${one}.between`)
    // Between the steps the name is free, and somebody may have made a folder there.
    while (!quietly(() => renameSync(two, one))) quietly(() => rmSync(one, { recursive: true, force: true }))
    renameSync(`${one}.between`, two)
  },
  plant: () => {
    quietly(() => renameSync(one, `${three}/${rounds}`))
    if (quietly(() => symlinkSync(two, one))) unlinkSync(one)
  },
  second: () => {
    if (quietly(() => linkSync(two, `${one}.beside`))) renameSync(`${one}.beside`, one)
    writeFileSync(`${one}.beside`, '')
    renameSync(`${one}.beside`, one)
  },
}

function attack(): void {
  for (let n = 0; n < ROUNDS_AT_ONCE; n += 1) {
    ATTACKS[mode ?? '']?.()
    rounds += 1
  }
  setImmediate(attack)
}

process.on('SIGTERM', () => {
  console.log(rounds)
  process.exit(0)
})
setTimeout(() => process.exit(1), LIFE_MS)
console.log('ready')
attack()
