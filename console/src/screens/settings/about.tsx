import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../api/hub'
import { doctorQuery, whoamiQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { Name } from '../../parts/words'

/** What runs here. */
export function About() {
  const hub = useHub()
  const doctor = useQuery(doctorQuery(hub))
  const whoami = useQuery(whoamiQuery(hub))
  return (
    <Panel title="This hub">
      <Answer of={doctor}>
        {({ version, database }) => (
          <dl className="facts wide-facts about">
            <Fact name="version" text={`Knowtation ${version}`} />
            <Fact name="database" text={database === 'postgres' ? 'PostgreSQL' : 'SQLite, in the home'} />
            <Fact name="address" text={location.host} />
            <Fact name="vault" text={hub.vault} />
            {whoami.data && <Fact name="policy" text={whoami.data.policy_revision} />}
            {whoami.data && (
              <Fact name="you" text={`${whoami.data.role}, ${whoami.data.scopes.join(', ')}`} />
            )}
            <Fact name="look" text="light or dark, as your system says" />
          </dl>
        )}
      </Answer>
      <p className="note last-note small">
        Everything here is an operation of the hub: <code>knowtation --help</code> lists them, and{' '}
        <a href="/openapi.json">openapi.json</a> describes them. <kbd>?</kbd> lists the keys.
      </p>
    </Panel>
  )
}

function Fact({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Name text={text} />
      </dd>
    </div>
  )
}
