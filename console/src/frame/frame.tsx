import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { HubProvider, useHub } from '../api/hub'
import { locksQuery } from '../api/queries'
import { Find } from './find'
import { Keys } from './keys'
import { LiveMark } from './live-mark'
import { Nav, PhoneBar } from './nav'
import { useOpenParts } from './open-parts'
import { Stop, StoppedBanner } from './stop'

/** What is around every page: the way around, what is stopped, and how to stop. */
export function Frame() {
  return (
    <HubProvider>
      <Shell />
    </HubProvider>
  )
}

function Shell() {
  const hub = useHub()
  const locks = useQuery(locksQuery(hub))
  const all = locks.data?.locks.find(({ kind }) => kind === 'all')
  const parts = useOpenParts()
  return (
    <div className={`frame ${all ? 'is-stopped' : ''}`}>
      <a className="skip" href="#page">
        To the page
      </a>
      <Nav />
      <div className="stage">
        <header className="topbar">
          <span className="phone-brand">
            <img src="/icon.svg" alt="" width="18" height="18" /> <b>Knowtation</b>
          </span>
          <button type="button" className="find-button" onClick={() => parts.open('find')}>
            Find a page, flow or grant <kbd>/</kbd>
          </button>
          <LiveMark />
          <Stop locks={locks} isOpen={parts.is('stop')} setOpen={(isOpen) => parts.set('stop', isOpen)} />
        </header>
        {all && <StoppedBanner lock={all} />}
        <main id="page" tabIndex={-1}>
          <Outlet />
        </main>
        <PhoneBar />
      </div>
      {parts.is('find') && <Find close={parts.close} />}
      <Keys parts={parts} />
    </div>
  )
}
