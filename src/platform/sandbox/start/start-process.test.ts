import type { ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type Descriptor, startProcess } from './start-process.ts'

/** Starts a script of the shell; what is given beyond its three streams it finds from descriptor 3 on. */
function script(text: string, given: readonly Descriptor[] = [], args: readonly string[] = []): ChildProcess {
  const [stdin = 'empty', ...more] = given
  const descriptors = [stdin, 'output', 'output', ...more] as const
  return startProcess({ path: '/bin/sh', args: ['-c', text, 'sh', ...args], descriptors })
}

async function ended(child: ChildProcess) {
  const written = ['', '']
  for (const [at, stream] of child.stdio?.slice(1, 3).entries() ?? [])
    (stream as Readable | null)?.setEncoding('latin1').on('data', (piece: string) => (written[at] += piece))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, written }))
  })
}

describe('a program that is started', () => {
  test('leads a session of its own, in the root, with no variable and no signal kept from it', async () => {
    // The shell itself reads: while it starts another program, it keeps all signals from itself for a moment.
    const read = 'while read -r line; do case $line in Sig*) echo "$line";; esac; done </proc/$$/status'
    const look = `read p c s pp pg sid r </proc/$$/stat; [ "$pg$sid" = "$$$$" ] && pwd && ${read} && env`
    const { written } = (await ended(script(look))) as { written: string[] }
    const [place, ...lines] = (written[0] ?? '').trim().split('\n')
    expect(place).toBe('/')
    expect(lines.filter((line) => !line.startsWith('Sig'))).toEqual(['PWD=/'])
    expect(lines.find((line) => line.startsWith('SigBlk'))).toMatch(/\t0+$/)
    expect(lines.find((line) => line.startsWith('SigIgn'))).toMatch(/\t0+$/)
  })

  test('has its own descriptors alone, and leaves none here', async () => {
    await ended(script('true'))
    const before = readdirSync('/proc/self/fd').length
    for (let run = 0; run < 10; run++) {
      const child = script('exec ls -l /proc/self/fd', [
        'empty',
        { content: 'more' },
        { content: 'x'.repeat(200_000) },
      ])
      const { written } = (await ended(child)) as { written: string[] }
      const found = [...(written[0] ?? '').matchAll(/ (\d+) -> (.*)$/gm)].filter(
        ([, , to]) => !to?.startsWith('/proc/'),
      )
      // Node cannot close what this process was started with, but covers it.
      const own = found.filter(([, fd, to]) => Number(fd) < 5 || to !== '/dev/null')
      expect(own.map(([, fd]) => fd)).toEqual(['0', '1', '2', '3', '4'])
      expect(readdirSync('/proc').includes(String(child.pid))).toBe(false)
    }
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before)
  })

  test('has each of many descriptors in its place', async () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ content: `${at + 3} ` }))
    const read = `exec perl -e 'for (63, 3..62) { open(my $given, "<&=", $_); print <$given> }'`
    const all = many.map(({ content }) => content).join('')
    // The last is the same thing as the first, which must not have been given away by then.
    const child = script(read, ['empty', ...many, 'empty'])
    expect(await ended(child)).toEqual({ code: 0, signal: null, written: [all, ''] })
  })

  test('has ended before its streams where it left somebody behind with them', async () => {
    const child = script('sleep 0.3 & exit 3')
    const order: string[] = []
    child.once('exit', (code) => order.push(`exit ${code}`))
    expect(await ended(child)).toEqual({ code: 3, signal: null, written: ['', ''] })
    expect(order).toEqual(['exit 3'])
  })

  test('can be ended at once with its group, many at a time', async () => {
    const children = Array.from({ length: 12 }, () => script('sleep 4716 & echo up; wait'))
    const ends = children.map((child) => ended(child))
    for (const { pid, stdio } of children)
      stdio?.[1]?.once('data', () => process.kill(-(pid as number), 'SIGKILL'))
    for (const one of await Promise.all(ends))
      expect(one).toEqual({ code: null, signal: 'SIGKILL', written: ['up\n', ''] })
  })

  test('is not started where there is no such program or an argument is none', async () => {
    const missing = startProcess({ path: '/no/such/program', args: [], descriptors: ['empty', 'output'] })
    await expect(ended(missing)).rejects.toThrow(/ENOENT/)
    expect(() => script('true', [], ['a\0b'])).toThrow(/null bytes/)
  })
})
