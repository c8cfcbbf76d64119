import { type FormEvent, useState } from 'react'
import { answerOf, Refused } from '../../api/client'
import { useHub } from '../../api/hub'
import type { Intent } from '../../api/shapes'
import { useAct } from '../../parts/act'
import { Fault } from '../../parts/panel'

/** A form with more settings than this begins with those that are needed. */
const FOLD_FROM = 5
type Setting = Intent['settings'][number]

const TYPES: Readonly<Record<Setting['kind'], string>> = {
  text: 'text',
  url: 'url',
  folder: 'text',
  secret: 'password',
  file: 'file',
}

/** What the connector asks for. What is typed goes to the hub once, and is kept nowhere here. */
export function IntentForm({ intent }: { intent: Intent }) {
  const { client } = useHub()
  const { intent_id, settings, setup_modality } = intent
  const [isFolded] = useState(settings.length > FOLD_FROM)
  const params = { path: { intent_id } }
  const isWithProvider = setup_modality === 'provider_authorization'
  const shownBy = ['owner_intent_show', 'owner_intent_list', 'owner_connection_list']
  const step = useAct(
    async (form: FormData) => {
      const body = { values: await valuesOf(settings, form) }
      if (!isWithProvider)
        return void (await answerOf(client.POST('/_ref/intents/{intent_id}/complete', { params, body })))
      const asked = client.POST('/_ref/intents/{intent_id}/authorize', { params, body })
      // The provider leads back to the hub, which finishes what was begun and opens this page again.
      location.assign((await answerOf(asked)).authorization_url)
    },
    shownBy,
    () => step.reset(),
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    step.mutate(new FormData(event.currentTarget))
  }
  const first = settings.filter((one) => !isFolded || isShownFirst(one))
  const others = settings.filter((one) => !first.includes(one))
  return (
    <form className="settings-form" onSubmit={submit} autoComplete="off">
      {first.map((one) => (
        <SettingField key={one.name} setting={one} />
      ))}
      {others.length > 0 && (
        <details>
          <summary>{others.length} more settings</summary>
          {others.map((one) => (
            <SettingField key={one.name} setting={one} />
          ))}
        </details>
      )}
      {step.error && <Fault error={step.error} />}
      <button type="submit" className="button main" disabled={step.isPending}>
        {step.isPending ? 'Asking the source…' : isWithProvider ? 'Go on to the provider' : 'Connect'}
      </button>
      {isWithProvider && (
        <p className="small soft">
          At the provider, this hub has to be registered with the address{' '}
          <code className="breaks">{callbackAddress()}</code>
        </p>
      )}
    </form>
  )
}

/** Providers know the hub by the name of the machine, not by the owner's own. */
function callbackAddress(): string {
  const isLocal = location.hostname.endsWith('.localhost')
  const host = isLocal ? ['localhost', location.port].filter(Boolean).join(':') : location.host
  return `${location.protocol}//${host}/oauth/callback`
}

/** What is needed, or has no value that would do by itself; the rest is behind a fold. */
function isShownFirst({ required, default: given, kind }: Setting): boolean {
  return (required && given === null) || kind === 'file'
}

function SettingField({ setting }: { setting: Setting }) {
  const { name, label, kind, required, hint, default: given } = setting
  const isTyped = kind !== 'secret' && kind !== 'file'
  return (
    <label className="field">
      <span>
        {label} {!required && <span className="faint">optional</span>}
      </span>
      <input
        type={TYPES[kind]}
        name={name}
        {...(isTyped && { defaultValue: given ?? '' })}
        autoComplete="off"
        spellCheck={false}
        required={required && given === null}
      />
      {hint !== null && <small className="soft">{hint}</small>}
    </label>
  )
}

async function valuesOf(settings: readonly Setting[], form: FormData): Promise<Record<string, string>> {
  const read = settings.map(async ({ name }) => [name, await textOf(form.get(name))] as const)
  return Object.fromEntries((await Promise.all(read)).filter(([, value]) => value !== ''))
}

async function textOf(value: FormDataEntryValue | null): Promise<string> {
  if (value === null || typeof value === 'string') return value ?? ''
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await value.arrayBuffer())
  } catch {
    throw new Refused(0, 'NOT_A_TEXT', 'The file is not a text.', 'An archive has to be unpacked first.')
  }
}
