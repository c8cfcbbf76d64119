import { describe } from 'vitest'
import { describeAuthority } from './external-agent/security-authority.ts'
import { describeBearers } from './external-agent/security-bearer.ts'
import { describeCanaries } from './external-agent/security-canaries.ts'
import { describeFetches } from './external-agent/security-fetch.ts'
import { describeHosts } from './external-agent/security-hosts.ts'
import { describePolicy } from './external-agent/security-policy.ts'

describe('bearers and grants', describeBearers)
describe('a fetch', describeFetches)
describe('who may do what', describeAuthority)
describe('the owner’s policy', describePolicy)
describe('hosted reads', describeHosts)
describe('secrets', describeCanaries)
