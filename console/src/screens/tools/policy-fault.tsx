import type { policyQuery } from '../../api/policy-queries'
import { Status } from '../../parts/status'
import { Name } from '../../parts/words'

type Asked = Extract<ReturnType<typeof policyQuery>['queryFn'], (...given: never[]) => unknown>
export type ShownPolicy = Awaited<ReturnType<Asked>>

/** A damaged policy counts as closed: told with the lines, on every tab. */
export function PolicyFault({ policy }: { policy: ShownPolicy }) {
  if (!policy.damaged) return null
  return (
    <div className="card" role="alert">
      <Status state="failed">The policy is damaged: it counts as closed.</Status>
      <p className="small breaks">{policy.path}</p>
      <ul>
        {policy.errors.map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>
            line {line}: <Name text={message} />
          </li>
        ))}
      </ul>
    </div>
  )
}
