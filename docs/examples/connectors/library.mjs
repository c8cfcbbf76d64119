import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** A library for the guide: `node library.mjs FILE` writes its address into the file. */
const TITLES = ['The Left Hand of Darkness', 'Invisible Cities', 'The Summer Book', 'Momo', 'Solaris']
const BOOKS = TITLES.map((title, n) => ({ isbn: `978-0-${n}`, title, due: `2030-01-0${n + 1}` }))
const PAGE_BOOKS = 2

const server = createServer(({ url, headers }, response) => {
  if (headers.authorization !== 'Bearer card-4711') return response.writeHead(401).end()
  const from = (Number(new URL(url, 'http://library').searchParams.get('page')) - 1) * PAGE_BOOKS
  const books = BOOKS.slice(from, from + PAGE_BOOKS)
  response.end(JSON.stringify({ library: 'Town library', total: BOOKS.length, books }))
})
server.listen(0, '127.0.0.1', () => {
  writeFileSync(process.argv[2], `http://127.0.0.1:${server.address().port}/books`)
})
