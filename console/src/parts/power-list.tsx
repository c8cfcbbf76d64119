import type { components } from '../api/schema'
import { Icon } from './icon'
import { Foreign } from './words'

const WORDS = {
  tool_added: 'Tool',
  tool_gone: 'Tool gone',
  boundary_gone: 'Boundary gone',
  boundary_added: 'Boundary',
  check_weaker: 'Weaker check',
  check_stronger: 'Stronger check',
  runs_more_alone: 'Runs more alone',
  runs_less_alone: 'Runs less alone',
  scope_wider: 'Wider scope',
  scope_narrower: 'Narrower scope',
} as const

/** What a draft changes about what agents may do; what opens stands on red ground. */
export function PowerList({
  power,
  isNew,
}: {
  power: readonly components['schemas']['FlowPowerChange'][]
  isNew: boolean
}) {
  return (
    <section className="power">
      <h3>
        What it would change about power <span className="small faint">told by the hub, from the draft</span>
      </h3>
      {power.length === 0 ? (
        <p className="card soft">
          {isNew
            ? 'The new flow uses no tool outside the hub.'
            : 'No tool, boundary, check or scope changes.'}
        </p>
      ) : (
        <ul className="panel rows">
          {power.map(({ kind, opens, ordinal, before, after, allowlisted }) => (
            <li
              key={`${kind} ${ordinal} ${before} ${after}`}
              className={`row power-row ${opens ? 'is-opening' : ''}`}
            >
              <Icon name={opens ? 'failed' : 'shield'} className={opens ? 'tone-no' : 'tone-ok'} />
              <b>{WORDS[kind]}</b>
              <span>
                {before !== null && after !== null ? (
                  <>
                    <Foreign text={before} /> becomes <Foreign text={after} />
                  </>
                ) : (
                  <Foreign text={after ?? before ?? ''} />
                )}
                {allowlisted === false && ' is not on your allowlist: no grant can include it'}
                {allowlisted === true && ' is on your allowlist; approving grants none of it'}
              </span>
              <span className="faint">{ordinal === null ? 'flow' : `step ${ordinal}`}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
