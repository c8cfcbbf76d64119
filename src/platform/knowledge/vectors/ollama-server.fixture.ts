import { answerJson, type LoopbackServer, startLoopbackServer } from '../loopback-server.fixture.ts'

const DIMENSIONS = 64

/**
 * Speaks Ollama's wire form on loopback: `POST /api/embed` with `model` and `input`, one vector for each text.
 * Its vectors are sums over words, so that texts with the same words are alike. Other models are not found.
 */
export function startOllama(model = 'nomic-embed-text'): Promise<LoopbackServer> {
  return startLoopbackServer(({ method, path, body }, response) => {
    const asked = body as { model?: unknown; input?: unknown }
    if (method !== 'POST' || path !== '/api/embed') return answerJson(response, 404, { error: 'not found' })
    if (asked.model !== model)
      return answerJson(response, 404, { error: `model "${asked.model}" not found, try pulling it first` })
    const texts = [asked.input].flat() as string[]
    answerJson(response, 200, {
      model,
      embeddings: texts.map(embed),
      total_duration: 1,
      prompt_eval_count: 1,
    })
  })
}

function embed(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0)
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    let hash = 7
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 1_009
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + 1
  }
  return vector
}
