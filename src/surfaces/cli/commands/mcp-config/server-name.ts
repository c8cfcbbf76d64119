import { UsageError } from '../../cli-errors.ts'

const SERVER_NAME = /^[\w-]{1,64}$/

/** What a client may call a server: it stands in its settings and in the names of tools. */
export function checkServerName(name: string): string {
  if (SERVER_NAME.test(name)) return name
  throw new UsageError('--name takes letters, digits, _ and -, 64 at most.', 'Choose such a name.')
}
