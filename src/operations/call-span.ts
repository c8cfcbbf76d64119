import { type Span, type SpanStart, toolCall } from '../platform/tracing/tracing.ts'
import type { Answer, Call, CallState } from './call.ts'

/** A call as a span, by the conventions for HTTP and MCP. What the caller has sent has no place in it. */
export function spanOf({ operation, surface, traceparent }: Call): SpanStart {
  const about = { 'knowtation.operation': operation.name, 'knowtation.surface': surface }
  if (surface === 'rest' && operation.rest) {
    const [method = '', route = ''] = operation.rest.split(' ')
    const http = { 'http.request.method': method, 'http.route': route }
    return {
      name: operation.rest,
      kind: 'server',
      attributes: { ...about, ...http },
      follows: traceparent,
    }
  }
  if (surface !== 'mcp') return { name: operation.name, kind: 'internal', attributes: about }
  return {
    name: `tools/call ${operation.name}`,
    kind: 'server',
    attributes: { ...about, ...toolCall(operation.name) },
    follows: traceparent,
  }
}

/** How the call has ended, in the words of its audit record. */
export function endOfSpan(span: Span, state: CallState, { ok, status, code }: Answer): void {
  const { call, vault_id, references, request_id } = state
  const tool = call.surface === 'mcp' ? findTool(state) : undefined
  span.tell({
    ...(tool !== undefined && { name: `tools/call ${tool}` }),
    attributes: {
      'knowtation.request_id': request_id,
      'knowtation.vault_id': vault_id,
      'knowtation.caller_kind': call.caller.kind,
      'knowtation.code': code ?? undefined,
      'knowtation.grant_id': references.grant_id ?? undefined,
      'http.response.status_code': call.surface === 'rest' ? status : undefined,
      'gen_ai.tool.name': tool,
    },
  })
  if (!ok && (status >= 500 || call.surface === 'mcp')) span.fail(code ?? String(status))
}

/** The tool that was called through an operation, where the owner has listed it: any other name is only the caller's. */
function findTool({ call, input, rules }: CallState): string | undefined {
  const target = input === undefined || !rules ? undefined : call.operation.target?.(input as never, rules)
  return target?.kind === 'external_tool' ? target.id : undefined
}
