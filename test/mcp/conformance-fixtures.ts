import type { Expected } from './conformance-table.ts'

type Unmet = Exclude<Expected, 'pass'>

const NO_SESSION =
  'the hub is sessionless over HTTP: there is no Mcp-Session-Id, so the scenario checks nothing'
const NOBODY_TO_ASK =
  'the hub is sessionless over HTTP: a client of 2025 has no stream on which it could be asked; one of 2026 is'
const NO_SUBSCRIBE =
  'the hub is sessionless over HTTP: a client of 2025 has no stream for updates of a resource, so none is offered'

const of2025 = (elicitation: string[]): Record<string, Unmet> => ({
  'elicitation-sep1034-defaults': { expectedFailure: NOBODY_TO_ASK, checks: ['elicitation-sep1034-general'] },
  'elicitation-sep1330-enums': { expectedFailure: NOBODY_TO_ASK, checks: ['elicitation-sep1330-general'] },
  'resources-subscribe': { expectedFailure: NO_SUBSCRIBE, checks: ['resources-subscribe'] },
  'resources-unsubscribe': { expectedFailure: NO_SUBSCRIBE, checks: ['resources-unsubscribe'] },
  'server-sse-multiple-streams': { checksNothing: NO_SESSION },
  'server-sse-polling': { checksNothing: NO_SESSION },
  'tools-call-elicitation': { expectedFailure: NOBODY_TO_ASK, checks: elicitation },
  'tools-call-sampling': { expectedFailure: NOBODY_TO_ASK, checks: ['tools-call-sampling'] },
})

export const FIXTURES_2025 = of2025(['tools-call-elicitation'])

export const FIXTURES_2026_AT_2025_11_25: Record<string, Unmet> = {
  ...of2025(['tools-call-elicitation']),
  'server-session-lifecycle': { checksNothing: NO_SESSION },
}

export const FIXTURES_2026_AT_2026_07_28: Record<string, Unmet> = {
  'http-custom-header-server-validation': {
    expectedFailure:
      'no tool declares x-mcp-header: the hub takes the marks out of what it lists, so that no header stands for an argument',
    checks: [
      'sep-2243-server-decode-base64',
      'sep-2243-server-no-xmcp-tool',
      'sep-2243-server-reject-invalid-param-chars',
      'sep-2243-server-reject-param-mismatch',
      'sep-2243-server-validate-param-match',
    ],
  },
}
