// A feed on this machine: GET reads it, and what is sent by POST becomes its next entry.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const entries = ['The pond is frozen', 'A heron by the weir', 'First snowdrops']

function item(title, at) {
  const words = title.replace(/[<&]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  return `<item><guid>entry-${at + 1}</guid><title>${words}</title></item>`
}

const server = createServer(async (request, response) => {
  if (request.method === 'POST') entries.push(await text(request))
  const items = entries.map(item).join('')
  response.setHeader('content-type', 'application/rss+xml')
  response.end(`<rss version="2.0"><channel><title>Garden diary</title>${items}</channel></rss>`)
})
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/feed`),
)
