import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ceremony } from '../../api/ceremony'
import { useHub } from '../../api/hub'
import { passkeysQuery } from '../../api/settings-queries'
import { Ask } from '../../parts/ask'
import { Icon } from '../../parts/icon'
import { Answer, Panel } from '../../parts/panel'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'
import { addPasskey } from './passkey'
import { CurrentPassword } from './proof'

const LABEL_CHARS = 64
type Question =
  | { readonly kind: 'add' }
  | { readonly kind: 'remove'; readonly id: string; readonly label: string }

/** Signing in with a fingerprint, a face or a security key. */
export function Passkeys() {
  const passkeys = useQuery(passkeysQuery(useHub()))
  const [question, setQuestion] = useState<Question>()
  const close = () => setQuestion(undefined)
  return (
    <Panel
      title="Passkeys"
      note="your fingerprint, face or security key instead of the password"
      aside={
        <button type="button" className="button main" onClick={() => setQuestion({ kind: 'add' })}>
          <Icon name="plus" /> Add a passkey…
        </button>
      }
    >
      <Answer
        of={passkeys}
        empty={({ data }) => data.length === 0 && 'There is none yet: you sign in with the password.'}
      >
        {({ data }) => (
          <ul className="rows">
            {data.map(({ passkey_id, label, created_at, last_used_at }) => (
              <li key={passkey_id} className="row session-row">
                <b>
                  <Name text={label} />
                </b>
                <span className="soft">
                  added <Ago at={created_at} suffix=" ago" />,{' '}
                  {last_used_at === null ? (
                    'never used'
                  ) : (
                    <>
                      used <Ago at={last_used_at} suffix=" ago" />
                    </>
                  )}
                </span>
                <button
                  type="button"
                  className="button danger"
                  onClick={() => setQuestion({ kind: 'remove', id: passkey_id, label })}
                >
                  Remove…<span className="unseen"> {label}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {question?.kind === 'add' && <AddPasskey close={close} />}
      {question?.kind === 'remove' && <RemovePasskey id={question.id} label={question.label} close={close} />}
    </Panel>
  )
}

function usePasskeyChange(act: () => Promise<unknown>, close: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['owner_passkey_list'] })
      close()
    },
  })
}

function AddPasskey({ close }: { close: () => void }) {
  const [label, setLabel] = useState('This device')
  const [current, setCurrent] = useState('')
  const add = usePasskeyChange(() => addPasskey(label.trim(), current), close)
  return (
    <Ask
      title="Add a passkey"
      yes="Add it"
      error={add.error}
      isBusy={add.isPending}
      isReady={label.trim() !== ''}
      onYes={() => add.mutate()}
      close={close}
    >
      <p>It counts at this address. Your browser asks for your finger, face or key next.</p>
      <label className="field">
        Its name
        <input value={label} maxLength={LABEL_CHARS} onChange={({ target }) => setLabel(target.value)} />
      </label>
      <CurrentPassword error={add.error} value={current} setValue={setCurrent} />
    </Ask>
  )
}

function RemovePasskey({ id, label, close }: { id: string; label: string; close: () => void }) {
  const [current, setCurrent] = useState('')
  const proof = current === '' ? {} : { current }
  const remove = usePasskeyChange(
    () => ceremony('/owner/passkey/remove', { passkey_id: id, ...proof }),
    close,
  )
  return (
    <Ask
      title={
        <>
          Remove the passkey <Name text={label} />?
        </>
      }
      yes="Remove it"
      danger
      error={remove.error}
      isBusy={remove.isPending}
      onYes={() => remove.mutate()}
      close={close}
    >
      <p>Nobody signs in with it any more. The browser may still offer it.</p>
      <CurrentPassword error={remove.error} value={current} setValue={setCurrent} />
    </Ask>
  )
}
