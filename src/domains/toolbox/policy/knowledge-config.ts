import { z } from 'zod'
import { isLoopbackUrl } from '../../../platform/knowledge/loopback-http.ts'
import { CHROMA_URL, OLLAMA_MODEL, OLLAMA_URL } from '../../../platform/knowledge/stores/backend-settings.ts'

const CONNECTIONS_LIMIT = 100

const LoopbackUrl = z
  .string()
  .refine(isLoopbackUrl, 'must be an http address on this machine, such as http://localhost:11434')
const Model = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'must be the name of a model')

/** What makes the vectors of a project's index. */
export const EmbedderConfig = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('builtin') }),
    z.strictObject({
      kind: z.literal('ollama'),
      url: LoopbackUrl.default(OLLAMA_URL),
      model: Model.default(OLLAMA_MODEL),
    }),
  ])
  .prefault({ kind: 'builtin' })

/** Where a project's index is kept; left out, in the hub's PostgreSQL where it runs on one, else in a file. */
export const StoreConfig = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('builtin') }),
    z.strictObject({ kind: z.literal('chroma'), url: LoopbackUrl.default(CHROMA_URL) }),
    z.strictObject({ kind: z.literal('hub') }),
  ])
  .optional()

/** The connections whose records a project's agents find; none unless the owner names them. */
export const ConnectionsConfig = z
  .array(z.string().regex(/^conn_[A-Za-z0-9_-]{1,64}$/, 'must be the id of a connection, such as conn_1a2b'))
  .max(CONNECTIONS_LIMIT)
  .default([])
