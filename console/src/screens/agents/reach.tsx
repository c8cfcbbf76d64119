import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../api/hub'
import { pinReviewsQuery, policyQuery } from '../../api/policy-queries'
import { Icon, type IconName } from '../../parts/icon'
import { useLabels } from '../../parts/named'
import { Panel } from '../../parts/panel'
import { Name } from '../../parts/words'
import type { Grant } from './grants'

export type ToolState = 'open' | 'asks' | 'changed' | 'unlisted'

type Listed = readonly { id: string; approval: string }[]

/** Whether a granted tool can be called now, and whether that asks first. */
function toolStateOf(tool: string, listed: Listed | undefined, changed: readonly string[]): ToolState {
  if (!listed) return 'open'
  const found = listed.find(({ id }) => id === tool)
  if (!found) return 'unlisted'
  if (changed.includes(tool)) return 'changed'
  return found.approval === 'never' ? 'open' : 'asks'
}

export function useToolStates(): (tool: string) => ToolState {
  const hub = useHub()
  const listed = useQuery(policyQuery(hub)).data?.tools
  const reviews = useQuery(pinReviewsQuery(hub)).data?.data ?? []
  const changed = reviews.map(({ tool_id }) => tool_id)
  return (tool) => toolStateOf(tool, listed, changed)
}

const SIGNS: Readonly<Record<ToolState, readonly [IconName, string, string]>> = {
  open: ['check', 'ok', 'can call it'],
  asks: ['held', 'wait', 'asks you before'],
  changed: ['lock', 'no', 'closed, its definition changed'],
  unlisted: ['lock', 'no', 'closed, not on the allowlist'],
}

/** Which grant reaches which tool. */
export function Reach({ grants }: { grants: readonly Grant[] }) {
  const labels = useLabels()
  const stateOf = useToolStates()
  const tools = [...new Set(grants.flatMap(({ allowed_tools }) => allowed_tools))].toSorted()
  if (tools.length === 0) return null
  return (
    <Panel title="Who can reach what" note="live grants by tool">
      <div className="reach" tabIndex={0} role="group" aria-label="Grants and tools">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span className="unseen">Grant</span>
              </th>
              {tools.map((tool) => (
                <th key={tool} scope="col">
                  <code>{tool}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {grants.map(({ grant_id, flow_id, allowed_tools }) => (
              <tr key={grant_id}>
                <th scope="row">
                  {labels[grant_id] === undefined ? flow_id : <Name text={labels[grant_id]} />}
                </th>
                {tools.map((tool) => (
                  <td key={tool}>
                    {allowed_tools.includes(tool) ? <Sign state={stateOf(tool)} /> : <span>·</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="small soft legend">
        <Icon name="held" className="tone-wait" /> asks you before each call{' '}
        <Icon name="lock" className="tone-no" /> closed now. A grant opens nothing without the agent's own
        credential.
      </p>
    </Panel>
  )
}

function Sign({ state }: { state: ToolState }) {
  const [icon, tone, word] = SIGNS[state]
  return (
    <span title={word}>
      <Icon name={icon} className={`tone-${tone}`} />
      <span className="unseen">{word}</span>
    </span>
  )
}
