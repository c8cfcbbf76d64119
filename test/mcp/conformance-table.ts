import type { Outcome } from './conformance-run.ts'

/** What a scenario shows: all of it, nothing at all, or exactly these failed checks, for this reason. */
export type Expected = 'pass' | { expectedFailure: string; checks: string[] } | { checksNothing: string }

export function outcomeOf(expected: Expected): Outcome {
  if (expected === 'pass') return 'pass'
  return 'checks' in expected ? expected.checks : 'nothing'
}

const NO_PROMPTS = 'wants the prompts of the suite: those of a real hub are its flows'
const NO_RESOURCES = 'the hub offers tools and prompts only: resources/* answers -32601'
const NO_COMPLETIONS = 'the hub offers tools and prompts only: completion/complete answers -32601'
const NO_LOGGING = 'the hub sends no log messages: logging/setLevel answers -32601'
const NO_SESSION =
  'the hub is sessionless over HTTP: there is no Mcp-Session-Id, so the scenario checks nothing'
const noFixture = (tool: string) => `wants the fixture tool ${tool}, which a real hub does not have`

export const SUITE_2025: Record<string, Expected> = {
  'completion-complete': { expectedFailure: NO_COMPLETIONS, checks: ['completion-complete'] },
  'dns-rebinding-protection': 'pass',
  'elicitation-sep1034-defaults': {
    expectedFailure: noFixture('test_elicitation_sep1034_defaults'),
    checks: ['elicitation-sep1034-general'],
  },
  'elicitation-sep1330-enums': {
    expectedFailure: noFixture('test_elicitation_sep1330_enums'),
    checks: ['elicitation-sep1330-general'],
  },
  'json-schema-2020-12': {
    expectedFailure: noFixture('json_schema_2020_12_tool'),
    checks: ['json-schema-2020-12-tool-found'],
  },
  'logging-set-level': { expectedFailure: NO_LOGGING, checks: ['logging-set-level'] },
  ping: 'pass',
  'prompts-get-embedded-resource': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-embedded-resource'] },
  'prompts-get-simple': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-simple'] },
  'prompts-get-with-args': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-with-args'] },
  'prompts-get-with-image': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-with-image'] },
  'prompts-list': 'pass',
  'resources-list': { expectedFailure: NO_RESOURCES, checks: ['resources-list'] },
  'resources-read-binary': { expectedFailure: NO_RESOURCES, checks: ['resources-read-binary'] },
  'resources-read-text': { expectedFailure: NO_RESOURCES, checks: ['resources-read-text'] },
  'resources-subscribe': { expectedFailure: NO_RESOURCES, checks: ['resources-subscribe'] },
  'resources-templates-read': { expectedFailure: NO_RESOURCES, checks: ['resources-templates-read'] },
  'resources-unsubscribe': { expectedFailure: NO_RESOURCES, checks: ['resources-unsubscribe'] },
  'server-initialize': 'pass',
  'server-sse-multiple-streams': { checksNothing: NO_SESSION },
  'server-sse-polling': { checksNothing: NO_SESSION },
  'tools-call-audio': { expectedFailure: noFixture('test_audio_content'), checks: ['tools-call-audio'] },
  'tools-call-elicitation': {
    expectedFailure: noFixture('test_elicitation'),
    checks: ['tools-call-elicitation'],
  },
  'tools-call-embedded-resource': {
    expectedFailure: noFixture('test_embedded_resource'),
    checks: ['tools-call-embedded-resource'],
  },
  'tools-call-error': { expectedFailure: noFixture('test_error_handling'), checks: ['tools-call-error'] },
  'tools-call-image': { expectedFailure: noFixture('test_image_content'), checks: ['tools-call-image'] },
  'tools-call-mixed-content': {
    expectedFailure: noFixture('test_multiple_content_types'),
    checks: ['tools-call-mixed-content'],
  },
  'tools-call-sampling': { expectedFailure: noFixture('test_sampling'), checks: ['tools-call-sampling'] },
  'tools-call-simple-text': {
    expectedFailure: noFixture('test_simple_text'),
    checks: ['tools-call-simple-text'],
  },
  'tools-call-with-logging': { expectedFailure: NO_LOGGING, checks: ['tools-call-with-logging'] },
  'tools-call-with-progress': {
    expectedFailure: noFixture('test_tool_with_progress'),
    checks: ['tools-call-with-progress'],
  },
  'tools-list': 'pass',
}

export const SUITE_2026_AT_2025_11_25: Record<string, Expected> = {
  'completion-complete': { expectedFailure: NO_COMPLETIONS, checks: ['completion-complete'] },
  'dns-rebinding-protection': 'pass',
  'elicitation-sep1034-defaults': {
    expectedFailure: noFixture('test_elicitation_sep1034_defaults'),
    checks: ['elicitation-sep1034-general'],
  },
  'elicitation-sep1330-enums': {
    expectedFailure: noFixture('test_elicitation_sep1330_enums'),
    checks: ['elicitation-sep1330-general'],
  },
  'json-schema-2020-12': {
    expectedFailure: noFixture('json_schema_2020_12_tool'),
    checks: ['json-schema-2020-12-tool-found'],
  },
  'logging-set-level': { expectedFailure: NO_LOGGING, checks: ['logging-set-level'] },
  ping: 'pass',
  'prompts-get-embedded-resource': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-embedded-resource'] },
  'prompts-get-simple': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-simple'] },
  'prompts-get-with-args': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-with-args'] },
  'prompts-get-with-image': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-with-image'] },
  'prompts-list': 'pass',
  'resources-list': { expectedFailure: NO_RESOURCES, checks: ['resources-list'] },
  'resources-read-binary': { expectedFailure: NO_RESOURCES, checks: ['resources-read-binary'] },
  'resources-read-text': { expectedFailure: NO_RESOURCES, checks: ['resources-read-text'] },
  'resources-subscribe': { expectedFailure: NO_RESOURCES, checks: ['resources-subscribe'] },
  'resources-templates-read': { expectedFailure: NO_RESOURCES, checks: ['resources-templates-read'] },
  'resources-unsubscribe': { expectedFailure: NO_RESOURCES, checks: ['resources-unsubscribe'] },
  'server-initialize': 'pass',
  'server-session-lifecycle': { checksNothing: NO_SESSION },
  'server-sse-multiple-streams': { checksNothing: NO_SESSION },
  'server-sse-polling': { checksNothing: NO_SESSION },
  'tools-call-audio': { expectedFailure: noFixture('test_audio_content'), checks: ['tools-call-audio'] },
  'tools-call-elicitation': {
    expectedFailure: noFixture('test_elicitation'),
    checks: ['tools-call-elicitation'],
  },
  'tools-call-embedded-resource': {
    expectedFailure: noFixture('test_embedded_resource'),
    checks: ['tools-call-embedded-resource'],
  },
  'tools-call-error': { expectedFailure: noFixture('test_error_handling'), checks: ['tools-call-error'] },
  'tools-call-image': { expectedFailure: noFixture('test_image_content'), checks: ['tools-call-image'] },
  'tools-call-mixed-content': {
    expectedFailure: noFixture('test_multiple_content_types'),
    checks: ['tools-call-mixed-content'],
  },
  'tools-call-sampling': { expectedFailure: noFixture('test_sampling'), checks: ['tools-call-sampling'] },
  'tools-call-simple-text': {
    expectedFailure: noFixture('test_simple_text'),
    checks: ['tools-call-simple-text'],
  },
  'tools-call-with-logging': { expectedFailure: NO_LOGGING, checks: ['tools-call-with-logging'] },
  'tools-call-with-progress': {
    expectedFailure: noFixture('test_tool_with_progress'),
    checks: ['tools-call-with-progress'],
  },
  'tools-list': 'pass',
}

export const SUITE_2026_AT_2026_07_28: Record<string, Expected> = {
  caching: {
    expectedFailure:
      'no resources; the checks of tools/list and prompts/list (hints present, ttl, scope) pass',
    checks: ['sep-2549-resources-list-caching-hints', 'sep-2549-resources-templates-list-caching-hints'],
  },
  'completion-complete': { expectedFailure: NO_COMPLETIONS, checks: ['completion-complete'] },
  'dns-rebinding-protection': 'pass',
  'http-custom-header-server-validation': {
    expectedFailure:
      'no tool declares x-mcp-header, and the hub takes the marks out of what it lists: the runner calls it not testable',
    checks: [
      'sep-2243-server-decode-base64',
      'sep-2243-server-no-xmcp-tool',
      'sep-2243-server-reject-invalid-param-chars',
      'sep-2243-server-reject-param-mismatch',
      'sep-2243-server-validate-param-match',
    ],
  },
  'http-header-validation': 'pass',
  'input-required-result-basic-elicitation': {
    expectedFailure: noFixture('test_input_required_result_elicitation'),
    checks: ['sep-2322-elicitation-incomplete'],
  },
  'input-required-result-basic-list-roots': {
    expectedFailure: noFixture('test_input_required_result_list_roots'),
    checks: ['sep-2322-list-roots-incomplete'],
  },
  'input-required-result-basic-sampling': {
    expectedFailure: noFixture('test_input_required_result_sampling'),
    checks: ['sep-2322-sampling-incomplete'],
  },
  'input-required-result-capability-check': {
    expectedFailure: noFixture('test_input_required_result_capabilities'),
    checks: ['sep-2322-respect-client-capabilities'],
  },
  'input-required-result-ignore-extra-params': {
    checksNothing: `${noFixture('test_input_required_result_elicitation')}; one SHOULD warning`,
  },
  'input-required-result-missing-input-response': {
    checksNothing: `${noFixture('test_input_required_result_elicitation')}; one SHOULD warning`,
  },
  'input-required-result-multi-round': {
    expectedFailure: noFixture('test_input_required_result_multi_round'),
    checks: ['sep-2322-multi-round-r1'],
  },
  'input-required-result-multiple-input-requests': {
    expectedFailure: noFixture('test_input_required_result_multiple_inputs'),
    checks: ['sep-2322-multiple-inputs-incomplete'],
  },
  'input-required-result-non-tool-request': {
    expectedFailure: NO_PROMPTS,
    checks: ['sep-2322-non-tool-incomplete'],
  },
  'input-required-result-request-state': {
    expectedFailure: noFixture('test_input_required_result_request_state'),
    checks: ['sep-2322-request-state-incomplete'],
  },
  'input-required-result-result-type': {
    expectedFailure: noFixture('test_input_required_result_elicitation'),
    checks: ['sep-2322-result-type-included'],
  },
  'input-required-result-tampered-state': {
    expectedFailure: noFixture('test_input_required_result_tampered_state'),
    checks: ['sep-2322-reject-tampered-state'],
  },
  'input-required-result-unsupported-methods': 'pass',
  'input-required-result-validate-input': 'pass', // hollow: its fixture tool is unknown
  'json-schema-2020-12': {
    expectedFailure: noFixture('json_schema_2020_12_tool'),
    checks: ['json-schema-2020-12-tool-found'],
  },
  'prompts-get-embedded-resource': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-embedded-resource'] },
  'prompts-get-simple': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-simple'] },
  'prompts-get-with-args': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-with-args'] },
  'prompts-get-with-image': { expectedFailure: NO_PROMPTS, checks: ['prompts-get-with-image'] },
  'prompts-list': 'pass',
  'resources-list': { expectedFailure: NO_RESOURCES, checks: ['resources-list'] },
  'resources-read-binary': { expectedFailure: NO_RESOURCES, checks: ['resources-read-binary'] },
  'resources-read-text': { expectedFailure: NO_RESOURCES, checks: ['resources-read-text'] },
  'resources-templates-read': { expectedFailure: NO_RESOURCES, checks: ['resources-templates-read'] },
  'sep-2164-resource-not-found': 'pass', // hollow: resources/read answers -32601, two SHOULD warnings
  'server-sse-multiple-streams': 'pass', // three parallel POSTs accepted, answered as JSON
  'server-stateless': {
    expectedFailure:
      'wants the fixture tools test_missing_capability, test_streaming_elicitation and test_logging_tool; 24 checks pass',
    checks: [
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-missing-capability-http-400',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-rejects-undeclared-capability',
    ],
  },
  'tools-call-audio': { expectedFailure: noFixture('test_audio_content'), checks: ['tools-call-audio'] },
  'tools-call-embedded-resource': {
    expectedFailure: noFixture('test_embedded_resource'),
    checks: ['tools-call-embedded-resource'],
  },
  'tools-call-error': { expectedFailure: noFixture('test_error_handling'), checks: ['tools-call-error'] },
  'tools-call-image': { expectedFailure: noFixture('test_image_content'), checks: ['tools-call-image'] },
  'tools-call-mixed-content': {
    expectedFailure: noFixture('test_multiple_content_types'),
    checks: ['tools-call-mixed-content'],
  },
  'tools-call-simple-text': {
    expectedFailure: noFixture('test_simple_text'),
    checks: ['tools-call-simple-text'],
  },
  'tools-call-with-progress': {
    expectedFailure: noFixture('test_tool_with_progress'),
    checks: ['tools-call-with-progress'],
  },
  'tools-list': 'pass',
}
