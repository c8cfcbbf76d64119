import { describe, expect, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { renderWelcome } from '../../src/surfaces/http/serve.ts'

function welcome(host: string): string {
  return renderWelcome(
    { url: 'http://127.0.0.1:4747' },
    host,
    homeAt('/tmp/home', {}),
    'npx knowtation owner login',
  )
}

describe('the welcome of a hub', () => {
  test.each(['0.0.0.0', '::', '192.0.2.7', 'hub.example'])('at %s says that others can reach it', (host) => {
    expect(welcome(host)).toMatch(
      new RegExp(`Open to +whoever reaches ${host.replaceAll('.', '\\.')}: other machines too`),
    )
  })

  test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('at %s has nothing to warn of', (host) => {
    expect(welcome(host)).not.toContain('Open to')
  })
})
