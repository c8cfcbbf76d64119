import { describe, expect, test } from 'vitest'
import { fakeText } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { startToolHub, type ToolHub } from './surface-hub.fixture.ts'

const VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seed) => `plain${fakeText(9, seed)}`)
const env = Object.fromEntries(VALUES.map((value, at) => [`HELD_${at}`, value]))
const guesses = (right: readonly string[]) =>
  Array.from({ length: 300 }, (_, at) => right[at - 100] ?? `guess${at}`).join('\n')

async function violations(tools: ToolHub, agent_id: string): Promise<number> {
  const { violations: all } = await tools.owner('GET', '/api/v1/toolbox/violations')
  return all.filter((one: any) => one.agent_id === agent_id && one.violation_type === 'known_value_guessed')
    .length
}

describe('guesses of what the environment of the hub holds', () => {
  test('a refused write tells neither a place nor a kind, whatever the secret is', async () => {
    await using tools = await startToolHub(undefined, { env })
    const refused = async (content: string) => {
      const { error } = await tools.call('rest', 'write_file', { path: 'src/g.txt', content })
      return { ...error }
    }
    const known = await refused(guesses(VALUES.slice(0, 2)))
    expect(known.code).toBe('SecurityError')
    expect(known.message).not.toMatch(/\d|environment|known/)
    expect(known).toEqual(await refused(`a\nb\nghp_${fakeText(36)}`))
  })

  test('a known value is marked like any other one', async () => {
    await using tools = await startToolHub(undefined, { env })
    const random = fakeText(40, 77)
    tools.project.write('services/web/src/r.txt', `${VALUES[0]}\n${random}\n`)
    const { data } = await tools.call('rest', 'read_file', { path: 'src/r.txt' })
    expect(new Set(data.content.trim().split('\n')).size).toBe(1)
  })

  test('each write of guesses after the second is a violation, and the agent goes into Alert Mode', async () => {
    await using tools = await startToolHub(undefined, { env })
    for (let call = 0; call < 9; call++)
      for (const agent_id of ['guesser', 'other'])
        await tools.call(
          call % 2 ? 'rest' : 'mcp',
          'write_file',
          { path: 'src/g.txt', content: guesses(agent_id === 'other' ? [] : VALUES.slice(call, call + 1)) },
          { agent_id },
        )
    expect(await violations(tools, 'guesser')).toBe(7)
    expect(await violations(tools, 'other')).toBe(0)
    const { alerts } = await tools.owner('GET', '/api/v1/toolbox/alerts')
    expect(alerts.map((alert: any) => alert.agent_id)).toEqual(['guesser'])
  })

  test('the same guess again and again is counted too', async () => {
    await using tools = await startToolHub(undefined, { env })
    for (let call = 0; call < 4; call++)
      await tools.call(
        'rest',
        'write_file',
        { path: 'src/g.txt', content: VALUES[0] },
        { agent_id: 'stubborn' },
      )
    expect(await violations(tools, 'stubborn')).toBe(2)
  })

  test('values that a file or a command shows are counted, each once', async () => {
    await using tools = await startToolHub(undefined, { env })
    tools.project.write('services/web/src/all.txt', guesses(VALUES))
    tools.project.write('services/web/src/one.txt', guesses(VALUES.slice(0, 1)))
    const read = (path: string, agent_id: string) => tools.call('rest', 'read_file', { path }, { agent_id })
    await read('src/all.txt', 'reader')
    expect(await violations(tools, 'reader')).toBe(1)
    for (let call = 0; call < 5; call++) await read('src/one.txt', 'honest')
    expect(await violations(tools, 'honest')).toBe(0)
    tools.project.write('services/web/src/prints.mjs', `console.log(${JSON.stringify(guesses(VALUES))})`)
    await tools.call('rest', 'run_test', { target: 'src/prints.mjs' }, { agent_id: 'runner' })
    expect(await violations(tools, 'runner')).toBe(1)
    for (const value of VALUES.slice(0, 4))
      await tools.call(
        'rest',
        'search_file',
        { path: 'src', regex: value, recursive: true },
        { agent_id: 'seeker' },
      )
    expect(await violations(tools, 'seeker')).toBe(2)
  })
})
