import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { providersQuery } from '../../api/policy-queries'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Name } from '../../parts/words'
import { ImportReview } from './import-review'

/** Who serves the tools: each with where its credential comes from, never the credential. */
export function Providers() {
  const hub = useHub()
  const providers = useQuery(providersQuery(hub))
  return (
    <Panel title="Providers" note="servers and services with a name">
      <Answer
        of={providers}
        empty={({ data }) =>
          data.length === 0 &&
          'None. `knowtation provider import --from FILE` moves the servers of a client you have behind the hub.'
        }
      >
        {({ data }) => (
          <ul className="rows">
            {data.map((one) => (
              <Provider key={one.name} provider={one} />
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}

interface Shown {
  name: string
  kind: 'mcp' | 'http'
  address: string
  credentials: { at: string; from: string }[]
  tools: string[]
}

function Provider({ provider: { name, kind, address, credentials, tools } }: { provider: Shown }) {
  const { client } = useHub()
  const [isOpen, setOpen] = useState(false)
  const probe = useMutation({
    mutationFn: () =>
      answerOf(client.POST('/v1/owner/providers/{name}/test', { params: { path: { name } }, body: {} })),
  })
  return (
    <li>
      <div className="row provider-row">
        <div>
          <b>{name}</b> <span className="soft">{kind}</span>
          <p className="small soft breaks">
            <Name text={address} />
          </p>
        </div>
        <span className="small">
          {credentials.map(({ at, from }) => (
            <span key={at} className="breaks">
              {at} from <code>{from}</code>
            </span>
          ))}
          {credentials.length === 0 && <span className="faint">no credential</span>}
        </span>
        <span className="small">
          {probe.data ? (
            <Status state={probe.data.answers ? 'allowed' : 'failed'}>
              <Name text={probe.data.says} />
            </Status>
          ) : (
            <span className="soft">{tools.length} tools listed</span>
          )}
        </span>
        <span className="acts">
          <button type="button" className="button" disabled={probe.isPending} onClick={() => probe.mutate()}>
            Test
          </button>
          {kind === 'mcp' && (
            <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Review its tools
            </button>
          )}
        </span>
      </div>
      {probe.error && <Fault error={probe.error} />}
      {isOpen && <ImportReview provider={name} close={() => setOpen(false)} />}
    </li>
  )
}
