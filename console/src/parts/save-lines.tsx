import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Ask } from './ask'

/** Beyond so many pages the command line is the better tool: it writes as it reads. */
const PAGES_MAX = 50

interface Page {
  lines: readonly string[]
  next_after_seq: number | null
}

/** Has signed lines saved as a file, after saying what is in it and how it is checked. */
export function SaveLines(props: {
  title: ReactNode
  file: string
  page: (after_seq: number | undefined) => Promise<Page>
  children: ReactNode
}) {
  const { title, file, page, children } = props
  const [isAsked, setAsked] = useState(false)
  const save = useMutation({
    mutationFn: async () => saveText(file, await linesOf(page)),
    onSuccess: () => setAsked(false),
  })
  return (
    <>
      <button type="button" className="button" onClick={() => setAsked(true)}>
        Export…
      </button>
      {isAsked && (
        <Ask
          title={title}
          yes={save.isPending ? 'Reading…' : 'Save the file'}
          error={save.error}
          isBusy={save.isPending}
          onYes={() => save.mutate()}
          close={() => setAsked(false)}
        >
          {children}
        </Ask>
      )}
    </>
  )
}

async function linesOf(page: (after_seq: number | undefined) => Promise<Page>): Promise<string> {
  const parts: string[] = []
  let after: number | undefined
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { lines, next_after_seq } = await page(after)
    parts.push(...lines)
    if (next_after_seq === null) return parts.map((line) => `${line}\n`).join('')
    after = next_after_seq
  }
  throw new Error('There is too much for one file here: the command line writes all of it.')
}

function saveText(file: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = address
  link.download = file
  link.click()
  URL.revokeObjectURL(address)
}
