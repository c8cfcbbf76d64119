import { z } from 'zod'
import type { Operation } from '../../operations/define-operation.ts'
import { COMMON_ERRORS, type CommonCode, type ErrorTable } from '../../operations/errors.ts'
import { pathParameters, type Registry, writtenRoute } from '../../operations/registry.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'

type Json = Record<string, unknown>
type ObjectSchema = { properties?: Json; required?: string[] }

/** What any operation's route may answer besides its own errors. */
const ANYWHERE: CommonCode[] = [
  'BAD_REQUEST',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'VAULT_DENIED',
  'HOST_DENIED',
  'ORIGIN_DENIED',
  'RATE_LIMITED',
  'RUNTIME_ERROR',
  'STORAGE_UNAVAILABLE',
]
const WITH_BODY: CommonCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** Describes the REST surface as OpenAPI 3.1, read off the operations. */
export function openApiDocument(registry: Registry): Json {
  const paths: Record<string, Json> = {}
  const schemas: Json = { Error: ERROR_SCHEMA }
  for (const operation of registry.values()) {
    if (!operation.rest) continue
    const [method, path] = writtenRoute(operation.rest).split(' ') as [string, string]
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeRoute(operation, method, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Knowtation',
      version: PACKAGE_VERSION,
      description: 'Reviewed flows and granted tools for AI agents, through one checked and recorded path.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:4747' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'flow', description: 'Flows' },
      { name: 'toolbox', description: 'Tools for agents at a seat' },
      { name: 'admin', description: 'Running the hub' },
      { name: 'owner', description: "The owner's surface" },
    ],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      parameters: { vault: VAULT_PARAMETER },
      schemas,
    },
  }
}

const VAULT_PARAMETER = {
  name: 'X-Vault-Id',
  in: 'header',
  description: 'The vault to act in; `default` when left out.',
  schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code'],
  additionalProperties: false,
  properties: { error: { type: 'string' }, code: { type: 'string' } },
}

function describeRoute(operation: Operation, method: string, schemas: Json): Json {
  const route = operation.rest ?? ''
  const inPath = pathParameters(route)
  const written = pathParameters(writtenRoute(route))
  const schema = z.toJSONSchema(operation.input, { io: 'input' }) as {
    properties?: Json
    required?: string[]
  }
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const named = Object.entries(schema.properties ?? {})
  const parameters = named.filter(([name]) => inPath.includes(name) || !hasBody)
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [tagOf(operation)],
    parameters: [
      ...parameters.map(([name, shape]) => ({
        name: written[inPath.indexOf(name)] ?? name,
        in: inPath.includes(name) ? 'path' : 'query',
        required: inPath.includes(name) || (schema.required ?? []).includes(name),
        schema: shape,
      })),
      { $ref: '#/components/parameters/vault' },
    ],
    ...(hasBody && { requestBody: describeBody(schema, inPath) }),
    responses: describeResponses(operation, hasBody, schemas),
  }
}

function tagOf({ name, authority }: Operation): string {
  if (authority.kind === 'seat' || authority.kind === 'any_seat') return 'toolbox'
  if (authority.kind === 'owner_surface') return 'owner'
  return name.startsWith('flow') ? 'flow' : 'admin'
}

/** JSON Schema of a zod schema, its named parts moved to where OpenAPI keeps them. */
function describeSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io }))
  const {
    $schema: _,
    $defs = {},
    ...own
  } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
  for (const [name, part] of Object.entries($defs as Record<string, Json>)) {
    const { id: _id, ...body } = part
    schemas[name] = body
  }
  return own
}

function describeBody(schema: ObjectSchema, inPath: string[]): Json {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => !inPath.includes(name)),
  )
  const required = (schema.required ?? []).filter((name) => !inPath.includes(name))
  const body = {
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required.length > 0 && { required }),
  }
  return { required: required.length > 0, content: { 'application/json': { schema: body } } }
}

function describeResponses(operation: Operation, hasBody: boolean, schemas: Json): Json {
  const { refusals, forStrangers = false } = operation.contract ?? {}
  const success = String(operation.status)
  const output = describeSchema(operation.output, 'output', schemas)
  const content = { 'application/json': { schema: output } }
  const { pending } = operation
  const later = pending && { 'application/json': { schema: describeSchema(pending, 'output', schemas) } }
  const errors: ErrorTable = {
    ...pick([...ANYWHERE, ...(hasBody ? WITH_BODY : [])]),
    ...operation.errors,
  }
  return {
    [success]: { description: operation.summary, ...(success !== '204' && { content }) },
    ...(later && {
      202: { description: 'It waits for a person; the same call again attaches.', content: later },
    }),
    ...describeErrors(errors, refusals && describeSchema(refusals, 'output', schemas), forStrangers),
  }
}

function describeErrors(errors: ErrorTable, form: Json | undefined, forStrangers: boolean): Json {
  const statuses = Map.groupBy(Object.entries(errors), ([, { status }]) => String(status))
  return Object.fromEntries(
    [...statuses]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([status, codes]) => {
        const names = codes.map(([code]) => code)
        const own = [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: names } } }]
        // Whoever has no credential is answered in the hub's own form, whatever most contracts say.
        const isOwn = form === undefined || (status === '401' && !forStrangers)
        const schema = isOwn ? { allOf: own } : form
        return [
          status,
          {
            description: names.map((code) => `\`${code}\``).join(', '),
            content: { 'application/json': { schema } },
          },
        ]
      }),
  )
}

function pick(codes: CommonCode[]): ErrorTable {
  return Object.fromEntries(codes.map((code) => [code, COMMON_ERRORS[code]]))
}
