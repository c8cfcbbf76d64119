import type { Dispatch, SetStateAction } from 'react'
import { Icon } from '../../../parts/icon'
import {
  type Draft,
  type Fault,
  withFlow,
  withoutStep,
  withStep,
  withStepAdded,
  withStepMoved,
} from './draft'
import { ChoiceField, FaultContext, TextField } from './fields'
import { StepForm } from './step-form'

const SCOPES = ['personal', 'project', 'org'] as const

/** The form of a flow: what it is, then step by step. */
export function DraftForm(props: {
  draft: Draft
  setDraft: Dispatch<SetStateAction<Draft>>
  isNew: boolean
  fault: Fault | undefined
}) {
  const { draft, setDraft, isNew, fault } = props
  const { flow, steps } = draft
  return (
    <FaultContext value={fault}>
      <div className="panel flow-form">
        {isNew && (
          <TextField
            label="Id"
            hint="flow_ and small letters, digits or _; it stays for good"
            path="flow.flow_id"
            value={flow.flow_id}
            max={69}
            onChange={(flow_id) => setDraft((now) => withFlow(now, { flow_id }))}
          />
        )}
        <TextField
          label="Title"
          path="flow.title"
          value={flow.title}
          max={200}
          onChange={(title) => setDraft((now) => withFlow(now, { title }))}
        />
        <TextField
          label="Summary"
          path="flow.summary"
          value={flow.summary}
          rows={2}
          max={2_000}
          onChange={(summary) => setDraft((now) => withFlow(now, { summary }))}
        />
        <div className="field-row">
          <TextField
            label="Version"
            path="flow.version"
            value={flow.version}
            max={64}
            onChange={(version) => setDraft((now) => withFlow(now, { version }))}
          />
          <ChoiceField
            label="Scope"
            value={flow.scope}
            of={SCOPES}
            onChange={(scope) => setDraft((now) => withFlow(now, { scope }))}
          />
          <TextField
            label="Tags"
            hint="with commas between"
            path="flow.tags"
            value={flow.tags.join(',')}
            max={2_000}
            onChange={(tags) =>
              setDraft((now) =>
                withFlow(now, { tags: tags === '' ? [] : tags.split(',').map((tag) => tag.trimStart()) }),
              )
            }
          />
        </div>
      </div>
      {steps.map((step, at) => (
        <StepForm
          key={`${at}`}
          step={step}
          at={at}
          last={steps.length - 1}
          change={(changes) => setDraft((now) => withStep(now, at, changes))}
          move={(by) => setDraft((now) => withStepMoved(now, at, by))}
          remove={() => setDraft((now) => withoutStep(now, at))}
        />
      ))}
      <button type="button" className="button" onClick={() => setDraft(withStepAdded)}>
        <Icon name="plus" /> Add a step
      </button>
    </FaultContext>
  )
}
