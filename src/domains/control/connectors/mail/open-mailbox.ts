import { isIP } from 'node:net'
import type { ImapFlow, MailboxObject } from 'imapflow'
import { type Source, SourceFault } from '../connector.ts'

const TLS_PORT = 993
const CONNECT_TIMEOUT_MS = 20_000
const SILENCE_TIMEOUT_MS = 60_000
const MAX_LITERAL_BYTES = 4 * 1024 * 1024
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
const LOOPBACK = /^(?:127\.|::1$)/

/** A mailbox that is open for reading alone. */
export interface OpenMailbox {
  readonly client: ImapFlow
  readonly mailbox: MailboxObject
}

/** Opens the mailbox of a connection for as long as `use` takes. Without TLS only this very machine is asked. */
export async function* withMailbox<Item>(
  source: Source,
  use: (open: OpenMailbox) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow(await clientOptions(source))
  const cancel = () => client.close()
  // The reason comes with the command that was under way; unheard it would end the process.
  client.on('error', () => {})
  source.signal.addEventListener('abort', cancel)
  try {
    source.signal.throwIfAborted()
    await client.connect()
    const mailbox = await client.mailboxOpen(source.settings.mailbox || 'INBOX', { readOnly: true })
    yield* use({ client, mailbox })
    await client.logout()
  } catch (error) {
    source.signal.throwIfAborted()
    throw asMailFault(error)
  } finally {
    source.signal.removeEventListener('abort', cancel)
    client.close()
  }
}

async function clientOptions(source: Source) {
  const { host = '', user = '' } = source.settings
  const port = Number(source.settings.port || TLS_PORT)
  if (!/^[A-Za-z0-9.:-]{1,253}$/.test(host) || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SourceFault('needs_attention', 'The connection names no mail server.')
  }
  // Connected to by its address: between the check and the use the name cannot change.
  const address = await source.fetch.locate(host)
  const isOpen = LOOPBACK.test(address)
  return {
    host: address,
    port,
    secure: port === TLS_PORT,
    ...(port !== TLS_PORT && !isOpen && { doSTARTTLS: true }),
    ...(isIP(host) === 0 && { servername: host }),
    auth: { user, pass: await source.secret('password') },
    logger: false as const,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxLineLength: MAX_RESPONSE_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
  }
}

/** What went wrong, in words of our own: the server's may repeat what it was sent. */
function asMailFault(error: unknown): SourceFault {
  if (error instanceof SourceFault) return error
  const { authenticationFailed, serverResponseCode, code, mailboxMissing } = error as {
    authenticationFailed?: boolean
    serverResponseCode?: string
    code?: string
    mailboxMissing?: boolean
  }
  if (authenticationFailed && serverResponseCode !== 'UNAVAILABLE') {
    return new SourceFault('needs_attention', 'The mail server does not accept the user and password.')
  }
  if (mailboxMissing || serverResponseCode === 'NONEXISTENT') {
    return new SourceFault('not_found', 'There is no such mailbox.')
  }
  if (code !== undefined && /TooLarge|TooLong/i.test(code)) {
    return new SourceFault('too_large', 'The mail server sent more than is allowed.')
  }
  if (code !== undefined && /CERT|TLS|SSL|ALTNAME/.test(code)) {
    return new SourceFault('refused', 'The mail server offers no TLS that can be trusted.')
  }
  return new SourceFault('unreachable', 'The mail server could not be reached, or went silent.')
}
