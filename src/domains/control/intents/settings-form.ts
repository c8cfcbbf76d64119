import { isAbsolute } from 'node:path'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import type { ConnectorManifest, SettingField } from '../connectors/manifest-schema.ts'
import { FILE_LIMIT_CHARS } from './intent-schemas.ts'

/** What the owner filled in: what may be shown, and what is sealed. */
export interface GivenSettings {
  readonly settings: Record<string, string>
  readonly secrets: Map<string, string>
}

const LIMITS: Readonly<Record<SettingField['kind'], number>> = {
  text: 2_000,
  url: 2_000,
  folder: 4_096,
  secret: 16_384,
  file: FILE_LIMIT_CHARS,
}
const isSealed = ({ kind }: SettingField) => kind === 'secret' || kind === 'file'

/** Takes what was filled in for a connector's settings, or refuses and names the first that will not do. */
export function readSettings(
  { settings: fields }: ConnectorManifest,
  values: Readonly<Record<string, string>>,
): GivenSettings {
  const stray = Object.keys(values).find((name) => !fields.some((field) => field.name === name))
  if (stray !== undefined) throw new OwnerRefusal('invalid_request', 'There is no setting of that name.')
  const given: GivenSettings = { settings: {}, secrets: new Map() }
  for (const field of fields) {
    const value = valueOf(field, values)
    if (value === undefined) continue
    const fault = findFault(field, value)
    if (fault) throw new OwnerRefusal('invalid_request', `${field.label}: ${fault}`, { param: field.name })
    if (isSealed(field)) given.secrets.set(field.name, value)
    else given.settings[field.name] = value
  }
  return given
}

function valueOf(field: SettingField, values: Readonly<Record<string, string>>): string | undefined {
  const { name, kind, required } = field
  const typed = Object.hasOwn(values, name) ? (values[name] as string) : ''
  const value = isSealed(field) ? typed : typed.trim()
  if (value !== '') return value
  if (field.default !== undefined) return field.default
  if (!required) return undefined
  const what = kind === 'file' ? 'a file is needed.' : 'this is needed.'
  throw new OwnerRefusal('invalid_request', `${field.label}: ${what}`, { param: name })
}

function findFault({ kind }: SettingField, value: string): string | undefined {
  if (value.length > LIMITS[kind]) return `at most ${LIMITS[kind]} characters.`
  if (kind === 'file') return value.includes('\0') ? 'the file is not a text.' : undefined
  if (/\p{Cc}/u.test(value)) return 'it must be one line.'
  if (kind === 'folder' && !isAbsolute(value)) return 'give the full path.'
  return kind === 'url' ? findAddressFault(value) : undefined
}

function findAddressFault(value: string): string | undefined {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) return 'give an address that begins with https://.'
  // Settings are shown; whatever opens something belongs into a field that is sealed.
  return url.username || url.password ? 'an address holds no user and no password here.' : undefined
}

/** Fills the settings into a text of the manifest, such as `{issuer}`. */
export function fillIn(text: string, settings: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z][a-z0-9_]{0,63})\}/g, (_all, name: string) =>
    Object.hasOwn(settings, name) ? (settings[name] as string) : '',
  )
}
