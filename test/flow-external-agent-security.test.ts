import { describe, expect, test } from 'vitest'
import { describeAuthority } from './external-agent/security-authority.ts'
import { describeBearers } from './external-agent/security-bearer.ts'
import { describeCanaries } from './external-agent/security-canaries.ts'
import { describeFetches } from './external-agent/security-fetch.ts'
import { describeHosts } from './external-agent/security-hosts.ts'
import { describePolicy } from './external-agent/security-policy.ts'
import { citedRules } from './requirements/cited-rules.ts'

describe('bearers and grants', describeBearers)
describe('a fetch', describeFetches)
describe('who may do what', describeAuthority)
describe('the owner’s policy', describePolicy)
describe('hosted reads', describeHosts)
describe('secrets', describeCanaries)

// What the tables of this tier prove, rule by rule.
test('the tables of this tier cite these rules', () => {
  expect(
    citedRules(
      'security-authority.ts',
      'security-bearer.ts',
      'security-canaries.ts',
      'security-fetch.ts',
      'security-hosts.ts',
      'security-policy.ts',
    ),
  ).toEqual([
    'GATE-001',
    'GATE-002',
    'GATE-003',
    'GATE-004',
    'GATE-016',
    'GATE-027',
    'GATE-028',
    'GATE-029',
    'GATE-036',
    'GATE-037',
    'GATE-038',
    'GATE-039',
    'GATE-040',
    'GATE-050',
    'GATE-059',
    'GATE-060',
    'GATE-061',
    'GATE-062',
    'GATE-063',
    'GATE-064',
    'GATE-065',
    'GATE-066',
    'GATE-067',
    'GATE-068',
    'GATE-069',
    'GATE-070',
    'GATE-071',
    'GATE-072',
    'GATE-073',
    'GATE-074',
    'GATE-075',
    'GATE-076',
    'GATE-077',
    'GATE-078',
    'GATE-079',
    'GATE-080',
    'GATE-081',
    'GATE-082',
    'GATE-083',
    'GATE-084',
    'GATE-085',
    'GATE-131',
    'GATE-132',
    'GATE-133',
    'GATE-134',
    'GATE-135',
    'GATE-136',
    'GATE-142',
    'GATE-143',
    'GATE-144',
    'GATE-145',
    'GATE-160',
    'GATE-162',
    'GATE-189',
    'GATE-190',
    'GATE-191',
    'GATE-192',
    'GATE-193',
    'GATE-194',
    'GATE-195',
    'GATE-196',
  ])
})
