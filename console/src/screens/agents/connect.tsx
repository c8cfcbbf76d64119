import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { clientSettingsQuery, type Way } from '../../api/agent-queries'
import { useHub } from '../../api/hub'
import type { ClientSettings } from '../../api/shapes'
import { CopyButton } from '../../parts/copy-button'
import { Icon, type IconName } from '../../parts/icon'
import { NameOrId } from '../../parts/named'
import { Answer } from '../../parts/panel'
import { FirstCall } from './first-call'

/** What a program can be let in with, the least that it can do first. */
const KINDS = [
  {
    way: 'sign_in',
    icon: 'link',
    title: 'The address alone',
    text: 'It signs in, and you tick what it may: a flow with tools, or reading.',
    note: 'no secret anywhere',
  },
  {
    way: 'grant',
    icon: 'flows',
    title: 'A flow with tools',
    text: 'Reads one reviewed version, calls the tools you tick.',
    note: 'a grant and a token, viewer',
  },
  {
    way: 'token',
    icon: 'eye',
    title: 'Reading only',
    text: 'Lists and reads the flows of this vault.',
    note: 'a token, role viewer',
  },
] as const satisfies readonly { way: Way; icon: IconName; title: string; text: string; note: string }[]

/** What it gets, which program it is, and the first call as it comes. */
export function Connect() {
  const search = useSearch({ from: '/agents' })
  const way: Way = search.grant ? 'grant' : (search.token ?? search.seat) ? 'token' : 'sign_in'
  return (
    <div className="connect">
      <div className="connect-main">
        <section aria-label="What it gets">
          <StepTitle number={1} title="What it gets" />
          <ul className="kinds">
            {KINDS.map((kind) => (
              <li key={kind.way}>
                <KindCard kind={kind} isChosen={kind.way === way} />
              </li>
            ))}
          </ul>
          <Given />
        </section>
        <section aria-label="Which program">
          <StepTitle number={2} title="Which program" />
          <Programs way={way} chosen={search.client} />
        </section>
      </div>
      <FirstCall grant={search.grant} seat={search.seat} token={search.token} />
    </div>
  )
}

function StepTitle({ number, title }: { number: number; title: string }) {
  return (
    <h2 className="step-title">
      <span className="step-mark num" aria-hidden="true">
        {number}
      </span>
      {title}
    </h2>
  )
}

/** Without a bearer that was made for it, the way there is the next step. */
function KindCard({ kind, isChosen }: { kind: (typeof KINDS)[number]; isChosen: boolean }) {
  const { way, icon, title, text, note } = kind
  const inside = (
    <>
      <span className="kind-head">
        <b>{title}</b> <Icon name={icon} className="tone-mark" />
      </span>
      <span className="soft">{text}</span>
      <span className="small faint">{note}</span>
    </>
  )
  const make = { sign_in: undefined, grant: 'grant', token: 'token' } as const
  return (
    <Link
      to="/agents"
      className={`kind ${isChosen ? 'is-chosen' : ''}`}
      aria-current={isChosen}
      search={({ vault, client, grant, token }) => {
        const kept = { ...(vault && { vault }), ...(client && { client }) }
        if (isChosen)
          return { ...kept, tab: 'connect' as const, ...(grant && { grant }), ...(token && { token }) }
        if (way === 'sign_in') return { ...kept, tab: 'connect' as const }
        return { ...kept, tab: way === 'grant' ? ('grants' as const) : ('tokens' as const), make: make[way] }
      }}
    >
      {inside}
    </Link>
  )
}

function Given() {
  const { grant, seat, token } = useSearch({ from: '/agents' })
  const id = grant ?? seat ?? token
  if (id === undefined) return null
  return (
    <p className="given">
      <Icon name="allowed" className="tone-ok" /> <b>{grant ? 'Grant' : seat ? 'Seat' : 'Token'}</b>{' '}
      <NameOrId id={id} />
      {grant && (
        <span className="small soft">
          {' '}
          It also takes a credential of the agent's own:{' '}
          <Link
            to="/agents"
            search={({ vault }) => ({ ...(vault && { vault }), tab: 'tokens', make: 'token' })}
          >
            a token, role viewer
          </Link>
        </span>
      )}
    </p>
  )
}

function Programs({ way, chosen }: { way: Way; chosen: string | undefined }) {
  const settings = useQuery(clientSettingsQuery(useHub(), way, 'knowtation'))
  const navigate = useNavigate({ from: '/agents' })
  return (
    <Answer of={settings} rows={8}>
      {({ clients, url }) => {
        const shown = clients.find(({ client }) => client === chosen) ?? clients[0]
        return (
          <>
            <div className="tabs programs" role="group" aria-label="Programs">
              {clients.map(({ client }) => (
                <button
                  key={client}
                  type="button"
                  aria-pressed={client === shown?.client}
                  className={client === shown?.client ? 'is-here' : ''}
                  onClick={() =>
                    void navigate({
                      search: (now) => ({ ...now, client }),
                      replace: true,
                      resetScroll: false,
                    })
                  }
                >
                  {client}
                </button>
              ))}
            </div>
            {shown && <Program settings={shown} url={url} />}
          </>
        )
      }}
    </Answer>
  )
}

function Program({ settings, url }: { settings: ClientSettings; url: string }) {
  const { client, command, file, settings: text, link, next, scope, variables } = settings
  return (
    <>
      {command !== null && (
        <Copied
          label={`Copy the command for ${client}`}
          text={command}
          note="on the machine of the hub; it writes the file and waits"
        >
          <span className="faint">$ </span>
          {command}
        </Copied>
      )}
      {text !== null && (
        <Copied
          label={`Copy the settings for ${client}`}
          text={text}
          note={
            <>
              {command === null ? 'Goes into' : 'Or by hand, into'} <code>{file}</code>, of{' '}
              {scope === 'user' ? 'your user' : 'the folder you work in'}; no secret in it
            </>
          }
        >
          {text}
        </Copied>
      )}
      {variables.length > 0 && (
        <Copied
          label="Copy the variables"
          text={variables.map((name) => `export ${name}=`).join('\n')}
          note="Its secrets stand in variables of its environment, from the pages that showed them"
        >
          {variables.map((name) => `export ${name}=…`).join('\n')}
        </Copied>
      )}
      <p className="next">
        {link !== null && (
          <a className="button" href={link}>
            Open in {client === 'vscode' ? 'VS Code' : 'Cursor'}
          </a>
        )}{' '}
        <Icon name="open" /> {next}
      </p>
      <p className="small soft">
        Another program takes the address <code>{url}</code>{' '}
        <CopyButton text={url} label="Copy the address" />
      </p>
    </>
  )
}

function Copied(props: { label: string; text: string; note: React.ReactNode; children: React.ReactNode }) {
  const { label, text, note, children } = props
  return (
    <div className="copied">
      <p className="small soft">{note}</p>
      <pre tabIndex={0}>{children}</pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}
