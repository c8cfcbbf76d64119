import { createContext, type ReactNode, useContext, useId } from 'react'
import { Icon } from '../../../parts/icon'
import type { Fault } from './draft'

/** What the hub found wrong, for the field that it is about. */
export const FaultContext = createContext<Fault | undefined>(undefined)

function useFault(path: string): string | undefined {
  const fault = useContext(FaultContext)
  if (fault === undefined || path === '') return undefined
  return fault.path === path || fault.path.startsWith(`${path}[`) || fault.path.startsWith(`${path}.`)
    ? fault.words
    : undefined
}

/** One text of a flow. */
export function TextField(props: {
  label: string
  /** Where it stands in the bundle, as the hub names it. */
  path: string
  value: string
  rows?: number
  max: number
  hint?: string
  onChange: (value: string) => void
}) {
  const { label, path, value, rows, max, hint, onChange } = props
  const fault = useFault(path)
  const id = useId()
  const given = {
    value,
    maxLength: max,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? undefined : id,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  return (
    <label className="field">
      <span>
        {label} {hint !== undefined && <span className="small faint">{hint}</span>}
      </span>
      {rows === undefined ? <input {...given} /> : <textarea rows={rows} {...given} />}
      {fault !== undefined && <FieldFault id={id} words={fault} />}
    </label>
  )
}

function FieldFault({ id, words }: { id: string; words: string }) {
  return (
    <span id={id} className="small tone-no">
      {words}
    </span>
  )
}

export function ChoiceField<Value extends string>(props: {
  label: string
  value: Value
  of: readonly Value[]
  onChange: (value: Value) => void
}) {
  const { label, value, of, onChange } = props
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value as Value)}>
        {of.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A list of which each item has some fields in a row. */
export function RowsField<Item>(props: {
  label: string
  path: string
  items: readonly Item[]
  fresh: Item
  add: string
  most: number
  onChange: (items: Item[]) => void
  children: (item: Item, change: (item: Item) => void, name: string) => ReactNode
}) {
  const { label, path, items, fresh, add, most, onChange, children } = props
  const fault = useFault(path)
  const id = useId()
  return (
    <fieldset className="rows-field">
      <legend>{label}</legend>
      {items.map((item, at) => (
        // Items have no id of their own: the place is all that tells them apart.
        <div key={`${at}`} className="item-row">
          {children(item, (changed) => onChange(items.with(at, changed) as Item[]), `${label} ${at + 1}`)}
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${label.toLowerCase()} ${at + 1}`}
            onClick={() => onChange(items.filter((_, place) => place !== at))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      {fault !== undefined && <FieldFault id={id} words={fault} />}
      {items.length < most && (
        <button type="button" className="button quiet" onClick={() => onChange([...items, fresh])}>
          <Icon name="plus" /> {add}
        </button>
      )}
    </fieldset>
  )
}
