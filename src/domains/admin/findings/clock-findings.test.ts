import { expect, onTestFinished, test } from 'vitest'
import { makeTestHome } from '../../../../test/harness/test-hub.ts'
import { openHub } from '../../../operations/hub.ts'
import { clockFindings } from './clock-findings.ts'

async function open(database: 'sqlite' | 'postgres') {
  const made = await makeTestHome({ database })
  const hub = await openHub(made.options)
  onTestFinished(async () => {
    await hub.close()
    await made[Symbol.asyncDispose]()
  })
  return hub
}

test('a clock that is more than two seconds from the database’s is told', async () => {
  const { db, machineNow } = await open('postgres')
  const shifted = (by_ms: number) => ({ db, machineNow: () => new Date(machineNow().getTime() + by_ms) })
  expect(await clockFindings(shifted(0))).toMatchObject([{ state: 'ok', fix: null }])
  expect(await clockFindings(shifted(1_500))).toMatchObject([{ state: 'ok' }])
  expect(await clockFindings(shifted(-10_000))).toMatchObject([
    {
      subject: 'clock',
      state: 'wrong',
      detail: expect.stringMatching(/^this machine's is (9|10)\.\d s behind/),
    },
  ])
  expect(await clockFindings(shifted(10_000))).toMatchObject([
    { state: 'wrong', detail: expect.stringMatching(/^this machine's is (9|10)\.\d s ahead of/) },
  ])
})

test('on SQLite there is no other clock', async () => {
  expect(await clockFindings(await open('sqlite'))).toEqual([])
})
