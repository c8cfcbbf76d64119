import { Icon } from '../../../parts/icon'
import type { Step } from './draft'
import { ChoiceField, RowsField, TextField } from './fields'

const CHECKS = ['human_review', 'artifact_exists', 'value_match', 'test_pass', 'agent_check'] as const
const AUTOMATION = ['manual', 'agent_assisted', 'automatable'] as const
const SKILLS = ['external_tool', 'skill_pack', 'mcp_prompt', 'cli'] as const
const NEEDS = ['tool', 'vault_scope', 'file', 'artifact'] as const
const PORTS = 32
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
  const { verification } = step
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
      </div>
    </fieldset>
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

function Handles<Kind extends string>(props: {
  label: string
  add: string
  path: string
  kinds: readonly [Kind, ...Kind[]]
  items: readonly { kind: Kind; id: string }[]
  onChange: (items: { kind: Kind; id: string }[]) => void
}) {
  const { label, add, path, kinds, items, onChange } = props
  return (
    <RowsField
      label={label}
      path={path}
      items={items}
      fresh={{ kind: kinds[0], id: '' }}
      add={add}
      most={PORTS}
      onChange={onChange}
    >
      {({ kind, id }, set, name) => (
        <>
          <select
            aria-label={`${name}, kind`}
            value={kind}
            onChange={({ target }) => set({ kind: target.value as Kind, id })}
          >
            {kinds.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
          <input
            aria-label={`${name}, name`}
            value={id}
            maxLength={256}
            onChange={({ target }) => set({ kind, id: target.value })}
          />
        </>
      )}
    </RowsField>
  )
}

/** What goes from step to step; most flows have none of it, so it is folded. */
function Ports(props: { step: Step; path: string; change: (changes: Partial<Step>) => void }) {
  const { step, path, change } = props
  const pair = (
    first: string,
    second: string,
    name: string,
    onFirst: (text: string) => void,
    onSecond: (text: string) => void,
  ) => (
    <>
      <input
        aria-label={`${name}, name`}
        value={first}
        maxLength={64}
        onChange={({ target }) => onFirst(target.value)}
      />
      <input
        aria-label={`${name}, value`}
        value={second}
        maxLength={256}
        onChange={({ target }) => onSecond(target.value)}
      />
    </>
  )
  return (
    <details open={step.inputs.length + step.outputs.length > 0}>
      <summary className="small soft">What it takes and gives by name</summary>
      <div className="field-pair">
        <RowsField
          label="Takes"
          path={`${path}.inputs`}
          items={step.inputs}
          fresh={{ name: '', from: '' }}
          add="Add an input"
          most={PORTS}
          onChange={(inputs) => change({ inputs })}
        >
          {({ name, from }, set, label) =>
            pair(
              name,
              from,
              label,
              (text) => set({ name: text, from }),
              (text) => set({ name, from: text }),
            )
          }
        </RowsField>
        <RowsField
          label="Gives"
          path={`${path}.outputs`}
          items={step.outputs}
          fresh={{ name: '', type: '' }}
          add="Add an output"
          most={PORTS}
          onChange={(outputs) => change({ outputs })}
        >
          {({ name, type }, set, label) =>
            pair(
              name,
              type,
              label,
              (text) => set({ name: text, type }),
              (text) => set({ name, type: text }),
            )
          }
        </RowsField>
      </div>
    </details>
  )
}
