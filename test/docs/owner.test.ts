import { expect, test } from 'vitest'
import { readPage, runPage } from './run-guide.fixture.ts'

test('the guide to the owner and the owner’s agents runs as written', async () => {
  const output = await runPage(readPage('docs/owner.md'))
  for (const text of [
    /Open this to set up your hub:\s+http:\/\/localhost:\d+\/owner\/link\?link=klink_/,
    /client name +Night shift/,
    /Approved: oagt_[0-9a-f]{16}, until/,
    /"object":"owner_agent_control_surface"/,
    /"code":"permission_error","message":"Owner credentials do not open MCP/,
    /oagt_[0-9a-f]{16} +Night shift +knowtation-cli +live/,
    /state +revoked/,
    /"code":"authentication_error"/,
    /owner_agent_revoke/,
    /cint_[0-9a-f]{16} +folder +My notes +open +enroll_local_collector/,
    /state +completed/,
  ])
    expect(output).toMatch(text)
  expect(output).not.toMatch(/kown_/)
}, 120_000)
