import { expect, test } from 'vitest'
import { ownUserFindings } from './own-user.ts'

const ACCOUNTS = [
  'root:x:0:0:root:/root:/bin/bash',
  'ann:x:1000:1000:Ann:/home/ann:/bin/zsh',
  'knowtation:x:998:998::/var/lib/knowtation:/usr/sbin/nologin',
].join('\n')

test('a user who can sign in is told of, one of its own is in order, and what cannot be told is left out', () => {
  const told = (uid: number) => ownUserFindings(uid, ACCOUNTS).map(({ state, detail }) => [state, detail])
  expect(told(1000)).toEqual([['off', expect.stringContaining('ann, who can sign in')]])
  expect(told(0)).toEqual([['off', expect.stringContaining('root, who can sign in')]])
  expect(told(998)).toEqual([['ok', expect.stringContaining('knowtation')]])
  expect(told(4321)).toEqual([['ok', expect.stringContaining('4321')]])
  expect([ownUserFindings(null, ACCOUNTS), ownUserFindings(0, null)]).toEqual([[], []])
})
