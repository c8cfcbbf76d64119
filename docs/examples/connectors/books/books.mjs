const MAX_PAGES = 1_000

/** A fault that the hub shows to the owner. Its text must hold nothing of what the source sent. */
function fault(code, message) {
  return Object.assign(new Error(message), { name: 'SourceFault', code })
}

/** Asks the source for one page of books. The hub bounds time and size, and keeps closed addresses closed. */
async function askPage(source, number) {
  const url = new URL(source.settings.url)
  url.searchParams.set('page', String(number))
  const headers = { authorization: `Bearer ${await source.secret('card')}` }
  const { status, body } = await source.fetch(url.href, { headers, max_bytes: 1_000_000 })
  if (status === 401) throw fault('needs_attention', 'The library does not accept the card.')
  if (status !== 200) throw fault('unreachable', `The library answered with ${status}.`)
  return { ...JSON.parse(body.toString('utf8')), bytes: body.length }
}

export const collector = {
  /** Asked once, before there is a connection: what throws here makes none. */
  async probe(source) {
    const { library } = await askPage(source, 1)
    return { display_name: library }
  },

  /** Gives pages. Each is kept together with its checkpoint, so a run that is killed goes on behind it. */
  async *collect(source) {
    for (let number = source.checkpoint?.page ?? 1; number <= MAX_PAGES; number++) {
      const { books, total, bytes } = await askPage(source, number)
      const isLast = books.length === 0
      yield {
        stream: 'books',
        // A book that has the same key again is the same book, changed or not.
        upserts: books.map(({ isbn, title, due }) => ({ key: isbn, data: { title, due } })),
        checkpoint: { page: isLast ? 1 : number + 1 },
        total,
        bytes,
      }
      if (isLast) return
    }
  },
}
