import './settings.css'
import { useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { TabLinks } from '../../parts/tabs'
import { SETTING_TABS } from '../../router'
import { Tokens } from '../agents/tokens'
import { About } from './about'
import { Account } from './account'
import { Health } from './health'
import { KeysAndBackup } from './keys-and-backup'
import { Passkeys } from './passkeys'

type Tab = (typeof SETTING_TABS)[number]
const NAMES: Readonly<Record<Tab, string>> = {
  account: 'Account',
  passkeys: 'Passkeys',
  tokens: 'Tokens',
  health: 'Health',
  backup: 'Backup and keys',
  about: 'About',
}
const SHOWN: Readonly<Record<Tab, ComponentType>> = {
  account: Account,
  passkeys: Passkeys,
  tokens: Tokens,
  health: Health,
  backup: KeysAndBackup,
  about: About,
}

/** Is the hub sound, and is it me? */
export function Settings() {
  const { tab = 'account' } = useSearch({ from: '/settings' })
  const Shown = SHOWN[tab]
  return (
    <div className="page reading-page">
      <header className="page-head">
        <div>
          <h1>Settings</h1>
          <p className="lead">How the hub knows you, and whether it is sound.</p>
        </div>
      </header>
      <TabLinks label="About settings" to="/settings" names={NAMES} tabs={SETTING_TABS} shown={tab} />
      <Shown />
    </div>
  )
}
