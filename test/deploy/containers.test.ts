import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { homeAt } from '../../src/platform/basics/home.ts'
import { readHubConfig } from '../../src/platform/policy/hub-config.ts'
import { loadAllCommands } from '../../src/surfaces/cli/load-commands.ts'
import { ROOT } from '../docs/run-guide.fixture.ts'

const FOLDER = join(ROOT, 'deploy/docker')
const readText = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

/** Instructions of the Dockerfile, a line each, with the stage they stand in. */
function instructions(): { stage: number; word: string; rest: string }[] {
  let stage = -1
  const lines = readText('Dockerfile')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
      if (word === 'FROM') stage++
      return { stage, word, rest }
    })
}

const ofImage = (word: string) =>
  instructions()
    .filter((one) => one.stage === 1 && one.word === word)
    .map(({ rest }) => rest)

test('the Dockerfile is one without faults', () => {
  expect(validate(readText('Dockerfile'))).toEqual([])
})

test('the image runs as nobody that signs in, hears signals itself, and says whether it is well', async () => {
  expect(ofImage('USER')).toEqual(['10001:10001'])
  expect(ofImage('RUN').join()).toMatch(/useradd --system --uid 10001 .*--shell \/usr\/sbin\/nologin/)
  // No shell stands between the container and the program.
  const [entry, command] = [ofImage('ENTRYPOINT'), ofImage('CMD')].map(([list = '']) => JSON.parse(list))
  expect(entry).toEqual(['knowtation'])
  const serve = (await loadAllCommands()).find(({ words }) => words.join() === 'serve')
  expect(command[0]).toBe('serve')
  for (const flag of command.filter((word: string) => word.startsWith('--')))
    expect(serve?.flags.map(({ name }) => `--${name}`)).toContain(flag)
  expect(ofImage('STOPSIGNAL')).toEqual(['SIGTERM'])
  expect(ofImage('HEALTHCHECK').join()).toContain('http://127.0.0.1:4747/healthz')
  // What built the package stays behind.
  expect(ofImage('COPY')).toEqual([expect.stringMatching(/^--from=installed /)])
})

test('nothing of the image is a secret, and nothing is fetched but packages', () => {
  const text = readText('Dockerfile')
  expect(text).not.toMatch(/PASSWORD|TOKEN|SECRET|curl |wget |ADD http/i)
})

interface Service {
  image: string
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  volumes?: string[]
  networks: string[] | Record<string, { ipv4_address?: string }>
  ports?: string[]
  environment?: Record<string, string>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  tmpfs?: string[]
}

const compose = parse(readText('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>
  networks: Record<string, { ipam?: { config: { subnet: string }[] } }>
  volumes: Record<string, unknown>
}

test('each service waits for those it needs, and those are known to be well', () => {
  const { services } = compose
  expect(Object.keys(services)).toEqual(['database', 'hub-a', 'hub-b', 'proxy'])
  const waits = Object.fromEntries(
    Object.entries(services).map(([name, { depends_on = {} }]) => [name, Object.keys(depends_on)]),
  )
  expect(waits).toEqual({
    database: [],
    'hub-a': ['database'],
    'hub-b': ['database', 'hub-a'],
    proxy: ['hub-a', 'hub-b'],
  })
  for (const { depends_on = {} } of Object.values(services))
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(condition).toBe('service_healthy')
      // The hubs have the check of their image.
      expect(name.startsWith('hub-') || services[name]?.healthcheck !== undefined).toBe(true)
    }
})

test('what a service names is there: networks, volumes, files', () => {
  for (const [name, { networks, volumes = [] }] of Object.entries(compose.services)) {
    const joined = Array.isArray(networks) ? networks : Object.keys(networks)
    expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining(joined))
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      // The certificate is the owner's to bring.
      const isThere = from.startsWith('./')
        ? existsSync(join(FOLDER, from)) || from === './tls'
        : from in compose.volumes
      expect([name, volume, isThere]).toEqual([name, volume, true])
    }
  }
})

test('hubs can write their home and /tmp alone, and are reached through the proxy alone', () => {
  for (const name of ['hub-a', 'hub-b'])
    expect(compose.services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: [expect.stringMatching(/^\/tmp:/)],
      volumes: ['home:/var/lib/knowtation'],
      networks: ['hubs'],
    })
  const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined)
  expect(published.map(([name]) => name)).toEqual(['proxy'])
})

test('no file has a secret: they come from the surroundings, and without them nothing starts', () => {
  for (const [name, { environment = {} }] of Object.entries(compose.services))
    for (const [key, value] of Object.entries(environment)) {
      const isSecret = /PASSWORD|URL/.test(key)
      expect([name, key, !isSecret || value.includes('${POSTGRES_PASSWORD:?')]).toEqual([name, key, true])
    }
})

test('the settings of the hubs are ones, and trust the address that the proxy has', () => {
  const file = join(FOLDER, 'config.yaml')
  const config = readHubConfig({ ...homeAt('/nowhere', {}), config: file })
  const { networks } = compose.services.proxy as Service
  const place = Array.isArray(networks) ? undefined : networks.hubs
  expect(config.trusted_proxies).toEqual([place?.ipv4_address])
  expect(readText('nginx.conf')).toContain(`server_name ${new URL(config.public_url ?? '').hostname};`)
  expect(compose.networks.hubs?.ipam?.config[0]?.subnet).toBe('172.30.47.0/24')
})
