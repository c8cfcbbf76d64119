import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../api/hub'
import { doctorQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Name } from '../../parts/words'
import { Command } from './command'

/** What is done where the hub runs, for it touches the home's own files: the commands, to copy. */
export function KeysAndBackup() {
  const doctor = useQuery(doctorQuery(useHub()))
  return (
    <>
      <Panel title="Backup">
        <Answer of={doctor} rows={2}>
          {({ findings }) => {
            const backup = findings.find(({ subject }) => subject === 'backup')
            return (
              <p className="note">
                <Status state={backup?.state === 'ok' ? 'intact' : 'warning'}>
                  {backup?.state === 'ok' ? 'fresh' : 'no fresh one'}
                </Status>{' '}
                <span className="soft">
                  <Name text={backup?.detail ?? ''} />
                </span>
              </p>
            )
          }}
        </Answer>
        <Commands>
          <Command
            line="knowtation backup ~/knowtation-backup"
            what="A copy of the home, while the hub goes on."
          />
          <Command
            line="knowtation restore ~/knowtation-backup"
            what="Puts it back; over a home that is there with --force, after telling what would count again."
          />
        </Commands>
        <p className="note last-note small">
          It holds the keys of the home: keep it as private as the home itself.
        </p>
      </Panel>
      <Panel title="Keys" note="run these where the hub is">
        <Commands>
          <Command
            line="knowtation secrets rotate"
            what="A new key for the credentials of sources and tools; all of them are sealed anew."
          />
          <Command
            line="knowtation token rotate-hub"
            what="A new hub token. The one before counts no more from the next call on."
          />
        </Commands>
      </Panel>
    </>
  )
}

function Commands({ children }: { children: React.ReactNode }) {
  return <ul className="rows">{children}</ul>
}
