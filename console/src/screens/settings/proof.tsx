import { Refused } from '../../api/client'

/** What may be thrown away beside the sessions, by an owner who fears that somebody else has it. */
export const ALSO = {
  passkeys: 'Take all passkeys away',
  agents: 'Revoke all owner agents',
  tokens: 'Revoke all tokens, seats and programs let in',
} as const
export type AlsoName = keyof typeof ALSO

export function Also(props: { also: ReadonlySet<AlsoName>; setAlso: (also: ReadonlySet<AlsoName>) => void }) {
  const { also, setAlso } = props
  return (
    <div className="ticks">
      {(Object.keys(ALSO) as AlsoName[]).map((name) => (
        <label key={name} className="tick">
          <input
            type="checkbox"
            checked={also.has(name)}
            onChange={({ target }) =>
              setAlso(new Set(target.checked ? [...also, name] : [...also].filter((one) => one !== name)))
            }
          />{' '}
          {ALSO[name]}
        </label>
      ))}
    </div>
  )
}

/** The password, asked for in place: at once, or where the hub says that the sign-in was long ago. */
export function CurrentPassword(props: {
  error: Error | null
  value: string
  setValue: (value: string) => void
  isAsked?: boolean
}) {
  const { error, value, setValue, isAsked = false } = props
  const isNeeded = error instanceof Refused && ['sign_in_again', 'invalid_credentials'].includes(error.code)
  if (!isAsked && !isNeeded && value === '') return null
  return (
    <label className="field">
      Your password
      <input
        type="password"
        autoComplete="current-password"
        value={value}
        maxLength={1_024}
        onChange={({ target }) => setValue(target.value)}
      />
    </label>
  )
}
