import { expect, test } from 'vitest'
import { createSampleHost, SAMPLE_CALLER } from './sample-host.fixture.ts'
import { createStdioFastCalls } from './stdio-fast-calls.ts'
import { createToolLists } from './tool-list.ts'

const OPENING = {
  jsonrpc: '2.0' as const,
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
}
const ANSWER = { jsonrpc: '2.0' as const, id: 'open', result: { protocolVersion: '2025-06-18' } }
const call = (name: string, id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })

function fastCalls() {
  return createStdioFastCalls(createSampleHost(), SAMPLE_CALLER, createToolLists(), () => {})
}

test('a plain call is taken from the SDK’s answer to the opening on, and names the client of the opening', () => {
  const fast = fastCalls()
  expect(fast.find(call('echo'))).toBeUndefined()
  fast.noteIncoming(OPENING)
  expect(fast.find(call('echo'))).toBeUndefined()
  fast.noteOutgoing({ jsonrpc: '2.0', id: 'other', result: {} })
  expect(fast.find(call('echo'))).toBeUndefined()
  fast.noteOutgoing(ANSWER)
  expect(fast.find(call('echo'))).toMatchObject({ name: 'echo', client: { name: 'c' } })
  expect(fast.find({ ...call('echo'), method: 'tools/list' })).toBeUndefined()
})

test('an id that is still being answered is left to the SDK, and a cancelled call gets no answer', async () => {
  const fast = fastCalls()
  fast.noteIncoming(OPENING)
  fast.noteOutgoing(ANSWER)
  const request = fast.find({ ...call('slow'), params: { name: 'slow', arguments: { ms: 20 } } })
  const answer = fast.answer(request as NonNullable<typeof request>)
  expect(fast.find(call('echo'))).toBeUndefined()
  fast.noteIncoming({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  expect(await answer).toBeUndefined()
  expect(fast.find(call('echo'))).toBeDefined()
})
