import Fastify from 'fastify'

// The limit: what the web framework does when there is nothing to do.
const app = Fastify()
app.get('/', async () => ({ ok: true }))
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ event: 'ready', url }))
process.once('SIGTERM', () => void app.close())
