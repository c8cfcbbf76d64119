import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DOVECOT = '/usr/sbin/dovecot'
const START_TRIES = 400
const USER = 'ada'

/** A real IMAP server on loopback, with an empty mailbox. */
export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly user: string
  readonly password: string
  /** Puts a message into the inbox. */
  deliver(message: string | Buffer): void
  /** Forgets the mailbox and begins it anew. */
  startAnew(): void
}

/** Starts dovecot as a user without rights, on files of its own. */
export async function startMailServer(password: string): Promise<MailServer> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-mail-'))
  const port = await freePort()
  const config = join(folder, 'dovecot.conf')
  writeFileSync(config, configuration(folder, port, password))
  const mail = join(folder, 'mail', USER)
  makeMaildir(mail)
  handOver(folder)
  const child = spawn(DOVECOT, ['-F', '-c', config], { stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  await waitForPort(port, child)
  let count = 0
  return {
    port,
    user: USER,
    password,
    deliver(message) {
      const path = join(mail, 'new', `${1_700_000_000 + ++count}.M${count}P1.test`)
      writeFileSync(path, message, { mode: 0o666 })
      chmodSync(path, 0o666)
    },
    startAnew() {
      rmSync(mail, { recursive: true, force: true })
      makeMaildir(mail)
      handOver(mail)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeMaildir(path: string): void {
  for (const name of ['new', 'cur', 'tmp']) mkdirSync(join(path, name), { recursive: true })
}

/** The server gives up the rights of root, so its files must be open to who it becomes. */
function handOver(path: string): void {
  const all = [path, join(path, 'mail'), join(path, 'mail', USER), join(path, 'mail', USER, 'new')]
  const names = ['new', 'cur', 'tmp'].flatMap((name) => [join(path, name), join(path, 'mail', USER, name)])
  for (const name of [...all, ...names]) {
    try {
      chmodSync(name, 0o777)
    } catch {
      // Of another of the two shapes that are handed over.
    }
  }
}

function configuration(folder: string, port: number, password: string): string {
  const isRoot = process.getuid?.() === 0
  const id = isRoot ? 'nobody' : String(process.getuid?.())
  const group = isRoot ? 'nogroup' : String(process.getgid?.())
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = ${id}
default_login_user = ${id}
default_internal_group = ${group}
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
mail_max_userip_connections = 50
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${id} gid=${group} home=${folder}/mail/%u
}
`
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    if (child.exitCode !== null) break
    if (await answers(port)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`The mail server did not start. It comes with: apt-get install dovecot-imapd (${DOVECOT})`)
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => resolve(!socket.destroy().connecting))
    socket.once('error', () => resolve(false))
  })
}
