import { expect, test } from 'vitest'
import { commandsOf, expectShown, readPage, runPage } from './run-guide.fixture.ts'

const GUIDES = [
  'behind-the-hub',
  'external-agents',
  'toolbox',
  'owner',
  'connectors',
  'subscriptions',
  'boundary',
  'storage',
  'running',
]
const PAGES = ['README.md', ...GUIDES.map((name) => `docs/${name}.md`)]

test('no guide finds what another one has left: each has a home of its own', () => {
  const homes = PAGES.flatMap((page) =>
    [...readPage(page).matchAll(/export .*KNOWTATION_HOME=([^\s;]+)/g)].map(([, home]) => home),
  )
  // The README has two tours.
  expect(homes).toHaveLength(PAGES.length + 1)
  expect(new Set(homes).size).toBe(homes.length)
})

test('a guide that calls node has put the one of the checkout first', () => {
  const careless = PAGES.filter((page) => {
    const commands = commandsOf(readPage(page))
    const called = commands.search(/^node /m)
    const put = commands.indexOf('export PATH=$PWD/node_modules/.bin:$PATH')
    return called >= 0 && (put < 0 || put > called)
  })
  expect(careless).toEqual([])
})

test("the README's first five minutes run as written and answer as shown", async () => {
  const page = readPage('README.md', 'Five minutes')
  const hub = [
    'export PATH=$PWD/node_modules/.bin:$PATH HOME=$KNOWTATION_HOME READY=$KNOWTATION_HOME/ready.json',
    'unset KNOWTATION_HOME',
    'mkdir -p $HOME',
    'node bin/knowtation.js serve --port 0 --log json > $READY & HUB=$!',
    "trap 'kill $HUB' EXIT",
    'until grep -q http $READY; do sleep 0.2; done',
    `URL=$(node -p 'JSON.parse(fs.readFileSync(process.env.READY)).url')`,
  ]
  // The reader's hub is at its usual port; this one is not.
  // Nobody starts the client that is connected, so it is not waited for, and no file of the checkout is written.
  const told = page
    .replaceAll('http://127.0.0.1:4747', '$URL')
    .replace('connect claude-code', '$& --print --wait 0')
  const block = ['```', ...hub, '```', told].join('\n')
  expectShown(page, await runPage(block))
}, 120_000)

test("the README's tour of an external agent runs as written and answers as shown", async () => {
  const page = readPage('README.md', 'An external agent, start to end')
  const output = await runPage(page)
  expectShown(page, output)
  expect(output.match(/^Error/gm)).toHaveLength(1)
}, 120_000)

test('a backup brings a damaged home back, as its page shows', async () => {
  const page = readPage('docs/storage.md', 'Backup')
  expectShown(page, await runPage(page))
}, 120_000)

test('the guide to external agents runs as written', async () => {
  const output = await runPage(readPage('docs/external-agents.md'))
  const told = [
    'status    proposed',
    'status      approved',
    'knowtation.agent_bundle/v0',
    'Echo: hello',
    'The call would be let through',
    'revoked 2',
  ]
  for (const text of [...told, 'Error (FLOW_EXTERNAL_GRANT_REVOKED)', 'The audit log is intact']) {
    expect(output).toContain(text)
  }
  expect(output.match(/^Error/gm)).toHaveLength(1)
}, 120_000)

test('the guide that puts servers behind the hub runs as written and answers as shown', async () => {
  const page = readPage('docs/behind-the-hub.md')
  const output = await runPage(page)
  expectShown(page, output)
  for (const text of [
    'Order 8 has no tax',
    '#2 Order 8 has no tax',
    'create_issue',
    'The audit log is intact',
  ])
    expect(output).toContain(text)
  expect(output).not.toMatch(/^Error/m)
  // The token stands in the environment of the hub, and nowhere in what an agent or the owner reads.
  expect(output).not.toContain('a-token-of-the-tracker')
}, 300_000)
