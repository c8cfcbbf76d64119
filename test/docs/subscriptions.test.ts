import { expect, test } from 'vitest'
import { readPage, runPage } from './run-guide.fixture.ts'

test('the guide to event subscriptions runs as written', async () => {
  const output = await runPage(readPage('docs/subscriptions.md'))
  for (const text of [
    /sub_[0-9a-f]{24} +active +http:\/\/127\.0\.0\.1:\d+\//,
    /1 pdpp\.subscription\.test evt_[0-9a-f]{24}/,
    /evc_1 .* pdpp\.subscription\.test .* yes/,
    /The signing secret\. This is the only time/,
    /status +deleted/,
  ])
    expect(output).toMatch(text)
}, 120_000)
