import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { holderName, isHolderGone } from './holder-name.ts'

const NAME_OF_CHILD = `
  import { holderName } from '${new URL('./holder-name.ts', import.meta.url).href}'
  console.log(holderName('ab12'))
`

test('a process that runs is not gone, whoever asks', async () => {
  expect(isHolderGone(holderName('ab12'))).toBe(false)
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `${NAME_OF_CHILD}; setInterval(() => {}, 1_000)`,
  ])
  const [name] = (await once(child.stdout, 'data')) as [Buffer]
  expect(isHolderGone(name.toString().trim())).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(isHolderGone(name.toString().trim())).toBe(true)
})

test('a process that has ended is gone, also when its number is used again', () => {
  const ended = execFileSync(process.execPath, ['--input-type=module', '--eval', NAME_OF_CHILD], {
    encoding: 'utf8',
  })
  expect(isHolderGone(ended.trim())).toBe(true)
  const again = holderName('ab12').replace(/_\d+_ab12$/, '_1_ab12')
  expect(isHolderGone(again)).toBe(true)
})

test('of another machine, and of a name without a process, nothing is known', () => {
  const [, machine = ''] = /^hub_([0-9a-f]{16})_/.exec(holderName('ab12')) ?? []
  expect(isHolderGone(holderName('ab12').replace(machine, '0'.repeat(16)))).toBe(false)
  for (const name of ['hub_ab12', '', 'hub_b', `${holderName('ab12')} `, 'constructor'])
    expect([name, isHolderGone(name)]).toEqual([name, false])
})
