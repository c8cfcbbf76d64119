import { expect, test } from 'vitest'
import { EVERYTHING, type Lock } from './lock.ts'
import { lockTable, placesOf } from './lock-table.ts'

const lock = (kind: Lock['kind'], id: string) => ({ kind, id }) as Lock
const ALL = lock('all', EVERYTHING)
const AGENT = lock('agent', 'one')
const SERVICE = lock('service', '/home/p/api')

test('without a lock nothing is locked, and a lock on everything stops all', () => {
  expect(lockTable([]).find(['one'], '/home/p/api')).toBe(undefined)
  for (const locks of [[ALL], [AGENT, ALL], [ALL, SERVICE]])
    expect(lockTable(locks).find(['another'], undefined)).toBe(ALL)
})

test('a lock stops its agent, under whichever of its names, and its service, and nothing else', () => {
  const { find } = lockTable([AGENT, SERVICE])
  expect(find(['one'], undefined)).toBe(AGENT)
  expect(find(['other', 'one'], '/elsewhere')).toBe(AGENT)
  expect(find(['other'], '/home/p/api')).toBe(SERVICE)
  expect(find(['other'], '/home/p/api/src')).toBe(SERVICE)
  expect(find(['other'], '/home/p')).toBe(undefined)
  expect(find(['other'], '/home/p/api2')).toBe(undefined)
  expect(find(['other'], undefined)).toBe(undefined)
  expect(lockTable([AGENT]).find(['other'], '/home/p/api')).toBe(undefined)
  expect(lockTable([lock('agent', '/home/p/api')]).find([], '/home/p/api')).toBe(undefined)
})

test('a service is named by its folder, one above it, or the end of its path', () => {
  expect(placesOf('/home//p/api/')).toEqual([
    '/',
    '/home',
    '/home/p',
    '/home/p/api',
    'home/p/api',
    'p/api',
    'api',
  ])
  expect(placesOf('/')).toEqual(['/'])
  for (const id of ['/', 'api', 'p/api', '/home'])
    expect(lockTable([lock('service', id)]).find([], '/home/p/api')?.id).toBe(id)
})
