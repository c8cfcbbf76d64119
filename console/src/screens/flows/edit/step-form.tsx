import { Icon } from '../../../parts/icon'
import type { Step } from './draft'
import { ChoiceField, RowsField, TextField } from './fields'
import { Handles, type PartProps, Ports } from './named-things'

const CHECKS = ['human_review', 'artifact_exists', 'value_match', 'test_pass', 'agent_check'] as const
const AUTOMATION = ['manual', 'agent_assisted', 'automatable'] as const
const SKILLS = ['external_tool', 'skill_pack', 'mcp_prompt', 'cli'] as const
const NEEDS = ['tool', 'vault_scope', 'file', 'artifact'] as const
const BOUNDARIES = 50

/** One step, with a field for each thing that an agent is told. */
export function StepForm(props: {
  step: Step
  at: number
  last: number
  change: (changes: Partial<Step>) => void
  move: (by: -1 | 1) => void
  remove: () => void
}) {
  const { step, at, last, change, move, remove } = props
  const path = `steps[${at}]`
  return (
    <fieldset className="panel step-form">
      <legend className="unseen">Step {at + 1}</legend>
      <header className="panel-head">
        <b>Step {at + 1}</b>
        <span className="panel-aside">
          <StepButton icon="up" label={`Move step ${at + 1} up`} off={at === 0} act={() => move(-1)} />
          <StepButton icon="down" label={`Move step ${at + 1} down`} off={at === last} act={() => move(1)} />
          <StepButton icon="cross" label={`Remove step ${at + 1}`} off={last === 0} act={remove} />
        </span>
      </header>
      <div className="step-fields">
        <WhatToDo {...{ step, path, change }} />
        <WhatItUses {...{ step, path, change }} />
        <WhatShowsIt {...{ step, path, change }} />
      </div>
    </fieldset>
  )
}

function WhatToDo({ step, path, change }: PartProps) {
  return (
    <>
      <TextField
        label="Job"
        hint="what this step owns"
        path={`${path}.owned_job`}
        value={step.owned_job}
        max={500}
        onChange={(owned_job) => change({ owned_job })}
      />
      <TextField
        label="Instruction"
        path={`${path}.instruction`}
        value={step.instruction}
        rows={5}
        max={20_000}
        onChange={(instruction) => change({ instruction })}
      />
      <div className="field-pair">
        <TextField
          label="When"
          path={`${path}.trigger`}
          value={step.trigger}
          rows={2}
          max={2_000}
          onChange={(trigger) => change({ trigger })}
        />
        <TextField
          label="When not"
          path={`${path}.when_not_to_run`}
          value={step.when_not_to_run}
          rows={2}
          max={2_000}
          onChange={(when_not_to_run) => change({ when_not_to_run })}
        />
      </div>
    </>
  )
}

function WhatItUses({ step, path, change }: PartProps) {
  return (
    <>
      <RowsField
        label="Boundary"
        path={`${path}.boundaries`}
        items={step.boundaries}
        fresh=""
        add="Add a boundary"
        most={BOUNDARIES}
        onChange={(boundaries) => change({ boundaries })}
      >
        {(boundary, set, name) => (
          <textarea
            rows={1}
            aria-label={name}
            value={boundary}
            maxLength={1_000}
            onChange={({ target }) => set(target.value)}
          />
        )}
      </RowsField>
      <div className="field-pair">
        <Handles
          label="Use"
          add="Add a tool or skill"
          path={`${path}.skill_refs`}
          kinds={SKILLS}
          items={step.skill_refs}
          onChange={(skill_refs) => change({ skill_refs })}
        />
        <Handles
          label="Need"
          add="Add what it needs"
          path={`${path}.requires`}
          kinds={NEEDS}
          items={step.requires}
          onChange={(requires) => change({ requires })}
        />
      </div>
      <Ports step={step} path={path} change={change} />
    </>
  )
}

function WhatShowsIt({ step, path, change }: PartProps) {
  const { verification } = step
  return (
    <>
      <TextField
        label="Answers with"
        path={`${path}.output_shape`}
        value={step.output_shape}
        rows={2}
        max={4_000}
        onChange={(output_shape) => change({ output_shape })}
      />
      <TextField
        label="Verified by"
        hint="what shows that it is done"
        path={`${path}.verification.description`}
        value={verification.description}
        rows={2}
        max={2_000}
        onChange={(description) => change({ verification: { ...verification, description } })}
      />
      <div className="field-row">
        <ChoiceField
          label="Check"
          value={verification.kind}
          of={CHECKS}
          onChange={(kind) => change({ verification: { ...verification, kind } })}
        />
        <ChoiceField
          label="Runs"
          value={step.automatable}
          of={AUTOMATION}
          onChange={(automatable) => change({ automatable })}
        />
        <label className="tick">
          <input
            type="checkbox"
            checked={verification.evidence_required}
            onChange={({ target }) =>
              change({ verification: { ...verification, evidence_required: target.checked } })
            }
          />{' '}
          With evidence
        </label>
      </div>
    </>
  )
}

function StepButton(props: { icon: 'up' | 'down' | 'cross'; label: string; off: boolean; act: () => void }) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={props.label}
      disabled={props.off}
      onClick={props.act}
    >
      <Icon name={props.icon} />
    </button>
  )
}
