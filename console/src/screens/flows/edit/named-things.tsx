import type { Step } from './draft'
import { RowsField } from './fields'

const PORTS = 32

/** A part of a step's form. */
export interface PartProps {
  readonly step: Step
  readonly path: string
  readonly change: (changes: Partial<Step>) => void
}

/** Things by kind and name, such as tools. */
export function Handles<Kind extends string>(props: {
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
export function Ports({ step, path, change }: PartProps) {
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
          {({ name, from }, set, label) => (
            <Pair
              label={label}
              first={name}
              second={from}
              onChange={(first, second) => set({ name: first, from: second })}
            />
          )}
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
          {({ name, type }, set, label) => (
            <Pair
              label={label}
              first={name}
              second={type}
              onChange={(first, second) => set({ name: first, type: second })}
            />
          )}
        </RowsField>
      </div>
    </details>
  )
}

function Pair(props: {
  label: string
  first: string
  second: string
  onChange: (first: string, second: string) => void
}) {
  const { label, first, second, onChange } = props
  return (
    <>
      <input
        aria-label={`${label}, name`}
        value={first}
        maxLength={64}
        onChange={({ target }) => onChange(target.value, second)}
      />
      <input
        aria-label={`${label}, value`}
        value={second}
        maxLength={256}
        onChange={({ target }) => onChange(first, target.value)}
      />
    </>
  )
}
