import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../api/client'
import { useHub } from '../../../api/hub'
import { Fault } from '../../../parts/panel'
import type { Draft } from './draft'

const MOST_CHARS = 524_288

/** Takes a flow from a file or a text, as Markdown, YAML or JSON; the hub reads it. */
export function FromText({ take }: { take: (draft: Draft) => void }) {
  const { client } = useHub()
  const [text, setText] = useState('')
  const read = useMutation({
    mutationFn: (from: string) => answerOf(client.POST('/api/v1/flows/read', { body: { text: from } })),
    onSuccess: take,
  })
  const open = async (file: File | undefined) => {
    if (!file) return
    const found = await file.text()
    setText(found.slice(0, MOST_CHARS))
    read.mutate(found)
  }
  return (
    <details className="panel from-text">
      <summary>From a file or a text</summary>
      <div className="step-fields">
        <label className="field">
          <span>
            File <span className="small faint">Markdown, YAML or JSON, as a flow is exported</span>
          </span>
          <input
            type="file"
            accept=".md,.yaml,.yml,.json,text/markdown,application/json"
            onChange={({ target }) => void open(target.files?.[0])}
          />
        </label>
        <label className="field">
          <span>Or paste it</span>
          <textarea
            className="code"
            rows={6}
            value={text}
            maxLength={MOST_CHARS}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        {read.error && <Fault error={read.error} />}
        {read.isSuccess && <p className="tone-ok">It is in the form below.</p>}
        <button
          type="button"
          className="button"
          disabled={text.trim() === '' || read.isPending}
          onClick={() => read.mutate(text)}
        >
          Put it into the form
        </button>
      </div>
    </details>
  )
}
