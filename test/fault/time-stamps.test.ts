import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { readCertificates } from '../../src/platform/audit/sent-ends/send-ends.ts'
import { askTimeStamp } from '../../src/platform/time-stamps/ask-time-stamp.ts'
import { checkIssuers } from '../../src/platform/time-stamps/check-issuers.ts'
import { checkTimeStamp } from '../../src/platform/time-stamps/check-time-stamp.ts'
import { TimeStampFault } from '../../src/platform/time-stamps/time-stamp-fault.ts'
import { type TestAuthority, testAuthority } from './time-stamp-authority.fixture.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()
const ONE = sha256('one')
const opened: TestAuthority[] = []
afterAll(() => opened.forEach((authority) => authority.close()))

async function open(key?: string) {
  const authority = await testAuthority(key)
  opened.push(authority)
  const trusted = readCertificates(authority.ca_file)
  const ask = (hash = ONE) => askTimeStamp({ url: authority.url, trusted }, hash, AbortSignal.timeout(10_000))
  return { authority, trusted, ask }
}

describe.each(['rsa:2048', 'ec'])('an authority with a key of %s', (key) => {
  test('stamps what it is asked to, at the time that it is', async () => {
    const { ask, trusted } = await open(key)
    const before = Date.now()
    const { at, token } = await ask()
    // Its stamps tell whole seconds.
    expect(at.getTime()).toBeGreaterThan(before - 2_000)
    expect(checkTimeStamp(token, ONE, trusted).at).toEqual(at)
    expect(() => checkTimeStamp(token, sha256('two'), trusted)).toThrow('for something else')
  })

  test('is not believed where one bit of its stamp is another', async () => {
    const { ask, trusted } = await open(key)
    const { token, at } = await ask()
    for (let place = 0; place < token.length; place += 7) {
      const spoilt = Buffer.from(token)
      spoilt[place] = (spoilt[place] ?? 0) ^ (1 << (place % 8))
      // A bit of what nobody signed, such as a certificate that is not used, says nothing else than before.
      try {
        expect(checkTimeStamp(spoilt, ONE, trusted).at).toEqual(at)
      } catch (error) {
        expect([place, error]).toEqual([place, expect.any(TimeStampFault)])
      }
      if (place % 700 === 0) await pause(0)
    }
  })
})

test('an authority that nobody trusts, or whose certificate is not for it, is not believed', async () => {
  const [known, stranger] = [await open(), await open()]
  const { token } = await stranger.ask()
  expect(() => checkTimeStamp(token, ONE, known.trusted)).toThrow('not of the authority that is trusted')
  expect(() => checkTimeStamp(token, ONE, [])).toThrow('not of the authority that is trusted')

  const { trusted, authority } = known
  const [own, root] = [readCertificates(authority.own_file)[0], trusted[0]]
  if (!own || !root) throw new Error('The authority has no certificate.')
  expect(() => checkIssuers(own, [], trusted, new Date())).not.toThrow()
  expect(() => checkIssuers(root, [], trusted, new Date())).toThrow('may not stamp times')
  for (const at of [new Date(Date.now() - 86_400_000), new Date(Date.now() + 3 * 86_400_000)])
    expect(() => checkIssuers(own, [], trusted, at)).toThrow('not good at its time')
})

test('an answer that is cut, refused, too long or for another question is not taken', async () => {
  const { authority, ask } = await open()
  let former: Buffer = Buffer.alloc(0)
  authority.spoil((answer) => (former = answer))
  await ask()
  const answers: [string, () => Buffer][] = [
    ['answers another question', () => former],
    ['cannot be read', () => former.subarray(0, 40)],
    ['cannot be read', () => Buffer.alloc(0)],
    ['has refused', () => Buffer.from('30053003020102', 'hex')],
    ['too long', () => Buffer.alloc(100_000)],
  ]
  for (const [words, answer] of answers) {
    authority.spoil(answer)
    await expect(ask()).rejects.toThrow(words)
  }
})
