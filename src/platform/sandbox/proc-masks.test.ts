import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { procMasks } from './proc-masks.ts'

const LISTINGS = 1_500
// Keeps starting processes that end at once, until it is ended itself.
const STORM = `$| = 1; print "up\\n"; for (;;) { for (1 .. 100) { exit unless fork } 1 while wait > 0 }`

test('what of /proc is covered can be told while processes end', async () => {
  const storms = [1, 2].map(() =>
    spawn('/usr/bin/perl', ['-e', STORM], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  try {
    await Promise.all(storms.map(({ stdout }) => once(stdout, 'data')))
    const found = new Set(Array.from({ length: LISTINGS }, () => procMasks().join(' ')))
    expect([...found]).toEqual([expect.stringContaining('--ro-bind /dev/null /proc/cmdline')])
  } finally {
    for (const storm of storms) storm.kill('SIGKILL')
  }
})
