// Takes events of a subscription: checks the signature, proves itself when asked, prints what came.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const TOLERANCE_SECONDS = 300
const SECRET_FILE = `${process.env.KNOWTATION_HOME}/secret`
const known = new Set()

function isOurs(id, timestamp, signatures, body) {
  // The secret comes with the answer to the subscription, which may arrive after the first question.
  if (!existsSync(SECRET_FILE)) return false
  const key = Buffer.from(readFileSync(SECRET_FILE, 'utf8').trim().replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  const isFresh = Math.abs(Date.now() / 1_000 - Number(timestamp)) < TOLERANCE_SECONDS
  const isSigned = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isFresh && isSigned
}

const server = createServer(async (request, response) => {
  const body = await text(request)
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(request.headers[`webhook-${name}`]),
  )
  const event = JSON.parse(body)
  if (event.type === 'pdpp.subscription.verify')
    return response.end(JSON.stringify({ challenge: event.data.challenge }))
  if (!isOurs(id, timestamp, signatures, body)) return response.writeHead(401).end()
  if (!known.has(id)) console.log(`${event.sequence} ${event.type} ${id}`)
  known.add(id)
  response.writeHead(204).end()
})
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/`),
)
