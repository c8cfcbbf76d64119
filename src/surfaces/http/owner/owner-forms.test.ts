import fastify, { type FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { addFormReader, faultOf, fieldOf, fieldsOf } from './owner-forms.ts'

const app = fastify()
addFormReader(app)
app.post('/form', (request, reply) => void reply.send({ ...fieldsOf(request) }))

async function post(payload: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/form', headers, payload })
  return { status: statusCode, fields: JSON.parse(body) as Record<string, string> }
}
const many = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&')

test('a form has 64 fields at most, each once, and 64 KiB', async () => {
  expect(await post('a=1&b=%26+2')).toEqual({ status: 200, fields: { a: '1', b: '& 2' } })
  expect((await post(many(64))).status).toBe(200)
  expect((await post(many(65))).status).not.toBe(200)
  expect((await post('a=1&a=1')).status).not.toBe(200)
  expect((await post(`a=${'x'.repeat(65_534)}`)).status).toBe(200)
  expect((await post(`a=${'x'.repeat(65_535)}`)).status).toBe(413)
})

test.each([[undefined], [null], ['a=1'], [7]])('a body that is %s has no fields', (body) => {
  expect(fieldsOf({ body } as FastifyRequest)).toEqual({})
})

test('a field is text, or empty', () => {
  const request = { body: { text: 'a', number: 7, list: ['a'] } } as FastifyRequest
  expect(['text', 'number', 'list', 'none'].map((name) => fieldOf(request, name))).toEqual(['a', '', '', ''])
})

const answer = (error: unknown) => ({ text: JSON.stringify({ error }) }) as never

test('the sentence of a refusal is found in either form of it', () => {
  expect([faultOf(answer('Not so.')), faultOf(answer({ message: 'Not so.' }))]).toEqual([
    'Not so.',
    'Not so.',
  ])
})
