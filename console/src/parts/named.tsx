import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { labelsQuery } from '../api/agent-queries'
import { answerOf } from '../api/client'
import { useHub } from '../api/hub'
import { Id } from './id'
import { Fault } from './panel'
import { Name } from './words'

export type LabelsById = Readonly<Record<string, string>>

/** What the owner calls things, by their ids. */
export function useLabels(): LabelsById {
  const found = useQuery({
    ...labelsQuery(useHub()),
    select: ({ labels }) => Object.fromEntries(labels.map(({ id, label }) => [id, label])),
  })
  return found.data ?? NONE
}
const NONE: LabelsById = {}

/** The name of a thing, with what changes it in place; a thing without one says so. */
export function NameInPlace(props: {
  id: string
  of: string
  small?: boolean
  /** What the owner called it when it was made, where that is kept with it. */
  first?: string
}) {
  const { id, of, small = false, first } = props
  const label = useLabels()[id] ?? first
  const [isTyping, setTyping] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const wasTyping = useRef(false)
  useEffect(() => {
    if (wasTyping.current && !isTyping) opener.current?.focus()
    wasTyping.current = isTyping
  }, [isTyping])
  if (isTyping) return <NameForm id={id} of={of} label={label} close={() => setTyping(false)} />
  const shown = label === undefined ? <span className="faint">no name</span> : <Name text={label} />
  return (
    <span className="named">
      {small ? shown : <b>{shown}</b>}{' '}
      <button
        type="button"
        ref={opener}
        className={`link small ${label === undefined ? '' : 'on-hover'}`}
        onClick={() => setTyping(true)}
      >
        {label === undefined ? 'Name it' : 'Rename'}
        <span className="unseen">
          {' '}
          {of} {label ?? id}
        </span>
      </button>
    </span>
  )
}

const LABEL_CHARS = 64

function NameForm(props: { id: string; of: string; label: string | undefined; close: () => void }) {
  const { id, of, label, close } = props
  const { client } = useHub()
  const queries = useQueryClient()
  const [typed, setTyped] = useState(label ?? '')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { id } }
      const text = typed.trim()
      if (text !== '') return answerOf(client.PUT('/api/v1/labels/{id}', { params, body: { label: text } }))
      return answerOf(client.DELETE('/api/v1/labels/{id}', { params }))
    },
    onSuccess: close,
    onSettled: () => queries.invalidateQueries({ queryKey: ['label_list'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() === (label ?? '')) close()
    else save.mutate()
  }
  return (
    <form className="name-form" onSubmit={submit}>
      <input
        ref={field}
        aria-label={`Name of the ${of}`}
        value={typed}
        maxLength={LABEL_CHARS}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
        }}
      />
      <button className="button" disabled={save.isPending}>
        Save
      </button>
      {save.error && <Fault error={save.error} />}
    </form>
  )
}

/** A thing by its name, or by its id where it has none. */
export function NameOrId({ id }: { id: string }) {
  const label = useLabels()[id]
  return label === undefined ? <Id id={id} /> : <Name text={label} />
}

/** The name of a thing and its id. What is no id of the hub's is shown as it is. */
export function NameAndId({ id }: { id: string }) {
  const label = useLabels()[id]
  if (label === undefined) return /^[a-z]+_[0-9a-z]{12,}$/.test(id) ? <Id id={id} /> : <Name text={id} />
  return (
    <>
      <Name text={label} /> <Id id={id} />
    </>
  )
}
