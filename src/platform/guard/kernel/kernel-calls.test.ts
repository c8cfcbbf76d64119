import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useKernelCalls } from '../guard-project.fixture.ts'
import { loadKernelCalls } from './kernel-calls.ts'

beforeAll(() => useKernelCalls(false))
afterAll(() => useKernelCalls(true))

test('the kernel’s own calls can be made where the tests run', () => {
  expect(loadKernelCalls()).toBeDefined()
})

// All that is asked of the guard holds where every path is walked too.
describe('barrier', () => import('../barrier.test.ts').then(noResult))
describe('closed zones', () => import('../closed-zones.test.ts').then(noResult))
describe('files', () => import('../files.test.ts').then(noResult))
describe('held folders', () => import('../hold-folder.test.ts').then(noResult))
describe('kept files', () => import('../kept-file.test.ts').then(noResult))
describe('listing', () => import('../listing.test.ts').then(noResult))
describe('made folders', () => import('../make-folders.test.ts').then(noResult))
describe('odd paths', () => import('../odd-paths.test.ts').then(noResult))
describe('path attacks', () => import('../path-attacks.test.ts').then(noResult))
describe('the service’s folder', () => import('../service-folder.test.ts').then(noResult))
describe('left drafts', () => import('../drafts/sweep-drafts.test.ts').then(noResult))

function noResult(): void {}
