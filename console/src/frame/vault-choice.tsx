import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useHub } from '../api/hub'
import { Icon } from '../parts/icon'

/** Which vault the pages are about. Any name may come into use, so it is typed. */
export function VaultChoice() {
  const { vault } = useHub()
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const named = String(new FormData(event.currentTarget).get('vault')).trim()
    setOpen(false)
    void navigate({ to: '/', search: named === '' || named === 'default' ? {} : { vault: named } })
  }
  if (!isOpen)
    return (
      <button type="button" className="vault" onClick={() => setOpen(true)}>
        <Icon name="vault" /> <span className="faint">vault</span> {vault} <Icon name="down" />
      </button>
    )
  return (
    <form className="vault-form" onSubmit={choose}>
      <label>
        Vault
        <input name="vault" defaultValue={vault} maxLength={64} pattern="[a-z0-9][a-z0-9_\-]*" />
      </label>
      <button className="button">Go</button>
    </form>
  )
}
