import type { components } from '../api/schema'
import { Foreign } from './words'

/** A flow as agents would get it. Every word of it is its author's. */
export function StepsInFull({
  flow,
  steps,
}: {
  flow: components['schemas']['Flow']
  steps: readonly components['schemas']['FlowStep'][]
}) {
  return (
    <section className="flow-page">
      <Foreign block text={flow.summary} />
      {steps.map((step) => (
        <article key={step.step_id} className="panel flow-step">
          <header className="panel-head">
            <b>
              {step.ordinal} <Foreign text={step.owned_job} />
            </b>
            <span className="panel-aside small faint">
              {step.automatable.replace('_', ' ')} · verified by {step.verification.kind.replaceAll('_', ' ')}
              {step.verification.evidence_required && ', with evidence'}
            </span>
          </header>
          <dl className="changed-fields">
            <Field name="instruction" text={step.instruction} />
            <Field name="when" text={step.trigger} />
            <Field name="when not" text={step.when_not_to_run} />
            <Field name="boundaries" text={step.boundaries.join('\n')} />
            <Field name="uses" text={step.skill_refs.map(({ kind, id }) => `${kind}: ${id}`).join('\n')} />
            <Field name="needs" text={step.requires.map(({ kind, id }) => `${kind}: ${id}`).join('\n')} />
            <Field name="answers" text={step.output_shape} />
            <Field name="verified by" text={step.verification.description} />
          </dl>
        </article>
      ))}
    </section>
  )
}

function Field({ name, text }: { name: string; text: string }) {
  if (text === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Foreign block text={text} />
      </dd>
    </div>
  )
}
