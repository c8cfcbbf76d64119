import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { policyQuery } from '../../api/policy-queries'
import { Icon } from '../../parts/icon'
import { OpenGate } from '../../parts/open-gate'
import { Name } from '../../parts/words'

const GATE = 'external_agent'

/** Which control closes the gate for external agents, with the button that opens it, where the policy decides. */
export function GateClosed({ detail }: { detail: string }) {
  const policy = useQuery(policyQuery(useHub()))
  const gate = policy.data?.gates.find((one) => one.gate === GATE)
  const isOurs = gate && !gate.open && gate.forbidden_by === null && gate.set_by !== 'environment'
  return (
    <div className="card gate-closed" role="status">
      <p>
        <Icon name="refused" className="tone-no" /> <b>The gate for external agents is closed.</b> No grant
        opens anything: <Name text={detail} />.
      </p>
      {isOurs && policy.data && (
        <p className="acts">
          <OpenGate gate={GATE} setting={gate.setting} revision={policy.data.revision} />
        </p>
      )}
      {gate && !isOurs && !gate.open && (
        <p className="small soft">
          {gate.forbidden_by === null ? (
            <>
              The environment of the hub decides it: <code>{gate.flag}</code>. Change it there and start the
              hub again.
            </>
          ) : (
            <>
              The {gate.forbidden_by} forbids it.{' '}
              <Link to="/tools" search={({ vault }) => ({ ...(vault && { vault }), tab: 'policy' })}>
                Open the policy
              </Link>
            </>
          )}
        </p>
      )}
    </div>
  )
}
