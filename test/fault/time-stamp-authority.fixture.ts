import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A time-stamp authority of our own: OpenSSL's, behind a server on loopback. */
export interface TestAuthority {
  readonly url: string
  /** The certificate that it is known by. */
  readonly ca_file: string
  /** Its own certificate. */
  readonly own_file: string
  /** Changes answers from now on; nothing makes them right again. */
  spoil(change: ((answer: Buffer) => Buffer) | undefined): void
  close(): void
}

const SETTINGS = `
[ req ]
distinguished_name = name
[ name ]
[ ca ]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[ stamps ]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[ tsa ]
default_tsa = one
[ one ]
serial = FOLDER/serial
default_policy = 1.2.3.4
digests = sha256
accuracy = secs:1
signer_digest = sha256
ess_cert_id_chain = no
tsa_name = yes
`

/** Makes its keys and listens. */
export async function testAuthority(key = 'rsa:2048'): Promise<TestAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-stamps-'))
  const at = (name: string) => join(folder, name)
  writeFileSync(at('settings'), SETTINGS.replace('FOLDER', folder))
  writeFileSync(at('serial'), '01\n')
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const fresh = key.startsWith('ec')
    ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
    : ['-newkey', key]
  const made = ['-config', 'settings', '-nodes', '-batch']
  openssl(
    'req',
    '-x509',
    ...fresh,
    ...made,
    '-extensions',
    'ca',
    '-subj',
    '/CN=ca',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  openssl('req', ...fresh, ...made, '-subj', '/CN=stamps', '-keyout', 'own.key', '-out', 'own.csr')
  const issued = [
    '-req',
    '-in',
    'own.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-set_serial',
    '7',
    '-days',
    '2',
  ]
  openssl('x509', ...issued, '-extfile', 'settings', '-extensions', 'stamps', '-out', 'own.pem')
  const reply = (request: Buffer) => {
    const name = randomBytes(4).toString('hex')
    writeFileSync(at(name), request)
    const signing = ['-signer', 'own.pem', '-inkey', 'own.key']
    openssl(
      'ts',
      '-reply',
      '-config',
      'settings',
      '-section',
      'one',
      '-queryfile',
      name,
      ...signing,
      '-out',
      `${name}.r`,
    )
    return readFileSync(at(`${name}.r`))
  }
  let change: ((answer: Buffer) => Buffer) | undefined
  const server = createServer(async (request, response) => {
    const answer = reply(await bodyOf(request))
    response.setHeader('content-type', 'application/timestamp-reply')
    response.end(change ? change(answer) : answer)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stamp`,
    ca_file: at('ca.pem'),
    own_file: at('own.pem'),
    spoil: (how) => void (change = how),
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await Array.fromAsync(request)) as Buffer[])
}
