import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { addConnection, everythingOf, type OwnedHub, startOwnedHub } from './connection-samples.ts'

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())

const atHome = (...argv: string[]) => runInProcess(argv, hub.options.env)
/** An agent of the owner's, which reaches the hub over HTTP. */
const asAgent = (...argv: string[]) =>
  runInProcess([...argv, '--url', hub.url], { KNOWTATION_TOKEN: hub.bearer })

test.each([
  ['on the home', atHome],
  ['as an agent, over HTTP', asAgent],
] as const)(
  'a connection is listed, renamed, looked at, revoked, taken up again and deleted %s',
  async (_how, run) => {
    const id = await addConnection(hub)
    expect((await run('owner', 'connection', 'list')).stdout).toMatch(
      new RegExp(`${id} +amazon +Amazon orders +active`),
    )
    const renamed = await run('owner', 'connection', 'rename', id, 'My orders')
    expect([renamed.exit, renamed.stdout]).toEqual([0, expect.stringContaining('My orders')])
    expect(JSON.parse((await run('owner', 'connection', 'show', id, '--json')).stdout).display_name).toBe(
      'My orders',
    )
    expect((await run('owner', 'connection', 'diagnostics', id)).stdout).toMatch(/health +healthy/)
    expect((await run('owner', 'connection', 'revoke', id)).stdout).toMatch(/status +revoked/)
    const again = await run('owner', 'connection', 'revoke', id)
    expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('connector_instance_inactive')])
    expect(again.stderr).toContain('reactivate')
    expect((await run('owner', 'connection', 'reactivate', id)).stdout).toMatch(/status +active/)
    expect((await run('owner', 'connection', 'delete', id)).stdout).toMatch(/deleted record count +6/)
    expect(Object.values(await everythingOf(hub, id)).flat()).toEqual([])
    const gone = await run('owner', 'connection', 'show', id)
    expect([gone.exit, gone.stderr]).toEqual([1, expect.stringContaining('connector_instance_not_found')])
  },
)

test('connectors are listed, and events are the owner’s own to read', async () => {
  for (const run of [atHome, asAgent])
    expect((await run('owner', 'connector', 'list')).stdout).toMatch(/amazon +Amazon orders/)
  const told = await atHome('owner', 'event', 'list')
  expect(told.stdout).toMatch(/test-agent +rename_connection +conn_[0-9a-f]{24} +succeeded/)
  expect(told.stdout).toMatch(/owner +rename_connection/)
  expect(JSON.parse((await atHome('owner', 'event', 'verify', '--json')).stdout)).toMatchObject({
    sound: true,
  })
  const refused = await asAgent('owner', 'event', 'list')
  expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('authentication_error')])
})

test('what needs no words is an empty document over HTTP', async () => {
  const id = await addConnection(hub)
  const done = await asAgent('owner', 'schedule', 'delete', id, '--json')
  expect([done.exit, done.stdout]).toEqual([0, '{}\n'])
})
