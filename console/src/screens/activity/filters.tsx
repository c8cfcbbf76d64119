import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { ActivitySearch } from '../../router'

const TYPED = [
  ['called_by', 'Agent'],
  ['operation', 'Operation'],
  ['tool', 'Tool'],
  ['grant', 'Grant'],
  ['flow', 'Flow'],
] as const

/** What the list is narrowed by. It stands in the address, so a link shows the same. */
export function Filters({ search }: { search: ActivitySearch }) {
  const navigate = useNavigate({ from: '/activity' })
  const put = (more: Partial<ActivitySearch>) =>
    void navigate({
      search: ({ record: _record, why: _why, ...kept }) => {
        const next = { ...kept, ...more } as Record<string, unknown>
        for (const [name, value] of Object.entries(next))
          if (value === '' || value === undefined) delete next[name]
        return next as ActivitySearch
      },
    })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    put(Object.fromEntries(TYPED.map(([name]) => [name, String(form.get(name) ?? '').trim()])))
  }
  const chosen = TYPED.filter(([name]) => search[name] !== undefined)
  return (
    <div className="filters">
      <label>
        Outcome
        <select
          value={search.outcome ?? ''}
          onChange={(event) =>
            put({
              outcome: (event.target.value || undefined) as ActivitySearch['outcome'],
            } as Partial<ActivitySearch>)
          }
        >
          <option value="">any</option>
          <option value="allowed">allowed</option>
          <option value="denied">refused</option>
          <option value="failed">failed</option>
        </select>
      </label>
      {chosen.map(([name, label]) => (
        <button key={name} type="button" className="chip drop" onClick={() => put({ [name]: undefined })}>
          {label} <b>{search[name]}</b> <span aria-hidden="true">×</span>
          <span className="unseen">take this filter away</span>
        </button>
      ))}
      <details className="more-filters">
        <summary>Narrow…</summary>
        <form onSubmit={submit} key={JSON.stringify(search)}>
          {TYPED.map(([name, label]) => (
            <label key={name}>
              {label}
              <input name={name} defaultValue={search[name] ?? ''} maxLength={512} autoComplete="off" />
            </label>
          ))}
          <button className="button">Show</button>
        </form>
      </details>
      <label className="switch">
        <input
          type="checkbox"
          checked={!search.own}
          onChange={(event) =>
            put({ own: event.target.checked ? undefined : true } as Partial<ActivitySearch>)
          }
        />
        Hide my own reads
      </label>
    </div>
  )
}
