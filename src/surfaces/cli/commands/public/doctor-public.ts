import type { Finding } from '../../../../domains/admin/findings/doctor-finding.ts'
import { presentDoctor } from '../../../../domains/admin/present-hub.ts'
import { homeAt } from '../../../../platform/basics/home.ts'
import { PACKAGE_VERSION } from '../../../../platform/basics/package-folder.ts'
import { readHubConfig } from '../../../../platform/policy/hub-config.ts'
import { UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation } from '../../command.ts'
import { pageOf } from '../../output/page-of.ts'
import { type Asked, askOutside, type Heard, type Outside } from './ask-outside.ts'

const LOCAL_HOSTS = ['localhost', 'localhost:4747', '127.0.0.1', '127.0.0.1:4747', '[::1]']
/** What is somebody's, and nobody's without a credential. */
const CLOSED = ['/api/v1/whoami', '/v1/owner/control', '/v1/owner/sessions', '/mcp']
const SOON_MS = 14 * 86_400_000

/** `doctor --public`: asks at the public address, as a stranger would, what must not answer there. */
export async function doctorPublic(invocation: Invocation): Promise<number> {
  const { globals, env, io } = invocation
  const { public_url } = readHubConfig(homeAt(globals.home, env))
  if (public_url === undefined)
    throw new UsageError('The hub has no address of its own.', 'Set public_url in config.yaml of the home.')
  const outside = { url: new URL(public_url), at: findFlag(invocation, 'at') }
  const findings = await lookFromOutside(outside)
  const healthy = findings.every(({ state }) => state !== 'wrong')
  const told = { version: PACKAGE_VERSION, healthy, findings }
  const text = globals.json
    ? JSON.stringify({ schema: 'knowtation.doctor_public/v0', url: public_url, ...told })
    : presentDoctor({ ...told, place: public_url }, pageOf(io, env))
  io.stdout.write(`${text}\n`)
  return healthy ? 0 : 1
}

/** Where the hub does not answer at all, there is nothing more to find out. */
async function lookFromOutside(outside: Outside): Promise<Finding[]> {
  const ask = (asked: Asked) => askOutside(outside, asked)
  const front = await ask({ path: '/' })
  if (!isHub(front))
    return [
      judged(
        'address',
        false,
        front.fault ?? `The status is ${front.status}, and it is not this hub.`,
        'Look at DNS, the firewall, the certificate and the settings of the proxy: it sends the public name as Host and X-Forwarded-Proto https, from an address in trusted_proxies.',
      ),
    ]
  const plain = await ask({ path: '/', plainly: true })
  return [
    judged('address', true, `${outside.url.origin} is the hub.`),
    certificate(front),
    judged(
      'plain http',
      !isHub(plain),
      isHub(plain) ? 'The hub answers without TLS.' : 'Nothing of the hub answers without TLS.',
      'Let the proxy redirect port 80, or close it.',
    ),
    ...(await Promise.all([signIn(ask), closed(ask), counts(ask), strangersAreLocal(ask)])),
  ]
}

function judged(subject: string, isFine: boolean, detail: string, fix = ''): Finding {
  return { subject, state: isFine ? 'ok' : 'wrong', detail, fix: isFine ? null : fix }
}

function isHub({ status, body }: Heard): boolean {
  return status === 200 && body.includes('"name":"knowtation"')
}

function certificate({ valid_to = '' }: Heard): Finding {
  const isGood = Date.parse(valid_to) - Date.now() > SOON_MS
  return judged('certificate', isGood, `It counts until ${valid_to}.`, 'Renew it.')
}

type Ask = (asked: Asked) => Promise<Heard>

async function signIn(ask: Ask): Promise<Finding> {
  const { status, headers } = await ask({ path: '/owner/sign-in' })
  const isSafe = (headers['set-cookie'] ?? []).every((line) => /^__Host-.*; Secure/.test(line))
  const isFine = status === 200 && isSafe && headers['strict-transport-security'] !== undefined
  return judged(
    'owner pages',
    isFine,
    isFine
      ? 'They are served, for TLS alone.'
      : `The status is ${status}; cookies or headers are not those of the hub.`,
    'The proxy must hand on the headers of answers as they are.',
  )
}

async function closed(ask: Ask): Promise<Finding> {
  const heard = await Promise.all(CLOSED.map(async (path) => ({ path, ...(await ask({ path })) })))
  const open = heard
    .filter(({ status }) => ![401, 429].includes(status))
    .map(({ path, status }) => `${path} (${status})`)
  return judged(
    'without a credential',
    open.length === 0,
    open.length === 0 ? 'Nothing opens.' : `Not refused: ${open.join(', ')}.`,
    'Take away what the proxy adds to requests, such as Authorization or Cookie.',
  )
}

async function counts(ask: Ask): Promise<Finding> {
  const { status } = await ask({ path: '/metrics' })
  return judged(
    '/metrics',
    status !== 200,
    status === 200 ? 'Strangers can read it.' : 'It is not served.',
    LOCAL_FIX,
  )
}

const LOCAL_FIX =
  'The proxy must send the public name as Host, written out in its settings, whatever its client sent.'

/** Counts are for this machine alone: whoever gets them under one of its names was taken for local. */
async function strangersAreLocal(ask: Ask): Promise<Finding> {
  const forged = LOCAL_HOSTS.map((host): Asked => ({ path: '/metrics', host }))
  const all = [
    ...forged,
    { path: 'http://localhost/metrics' },
    { path: '/metrics', host: 'localhost', forwarded: true },
  ]
  const heard = await Promise.all(all.map(async (asked) => ({ ...asked, ...(await ask(asked)) })))
  const taken = heard.filter(({ status }) => status === 200).map(({ host, path }) => host ?? path)
  return judged(
    'strangers',
    taken.length === 0,
    taken.length === 0
      ? 'A forged Host makes nobody local.'
      : `Taken for this machine with ${taken.join(', ')}.`,
    LOCAL_FIX,
  )
}
