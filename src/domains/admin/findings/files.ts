import { existsSync, statSync } from 'node:fs'
import type { Home } from '../../../platform/basics/home.ts'
import type { Finding } from './doctor-finding.ts'

/** Secrets of the home must be readable by their owner alone. */
export function fileFindings(home: Home): Finding[] {
  const places = [
    ['home folder', home.folder],
    ['hub token', home.hubToken],
    ['audit key', home.auditKey],
    ['secrets key', home.secretsKey],
    ['next secrets key', home.nextSecretsKey],
  ] as const
  return [...places.flatMap(([subject, path]) => findExposure(subject, path) ?? []), ...findExchange(home)]
}

/** A key that waits to take the place of another does so only by itself when nothing has come between. */
function findExchange(home: Home): Finding[] {
  const path = home.nextSecretsKey
  if (!existsSync(path)) return []
  const detail = `${path} waits to take the place of the secrets key; no backup can be made until it has`
  const fix = 'Begin or finish the exchange with `knowtation secrets rotate`.'
  return [{ subject: 'exchange of the secrets key', state: 'wrong', detail, fix }]
}

function findExposure(subject: string, path: string): Finding | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  const exposed = (stats.mode & 0o077) !== 0
  return {
    subject,
    state: exposed ? 'wrong' : 'ok',
    detail: exposed ? `${path} can be read by other users of this machine` : path,
    fix: exposed ? `chmod go-rwx ${path}` : null,
  }
}
