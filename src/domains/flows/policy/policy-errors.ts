import { errorTable } from '../../../operations/errors.ts'

export const policyErrors = errorTable({
  unknown_policy_revision: {
    status: 404,
    message: 'The history of this policy has no such revision.',
    hint: '`knowtation policy history` lists them.',
  },
  policy_revision_unreadable: {
    status: 409,
    message:
      'What was kept of that revision cannot be opened: it was changed, or its key is not there. Nothing was written.',
    hint: 'Choose another one of `knowtation policy history`; `knowtation doctor` tells whether the secrets key is there.',
  },
  unknown_policy_tool: {
    status: 404,
    message: 'The policy lists no such tool.',
    hint: '`knowtation policy show` lists those on allowed_tools in policy.yaml of the vault.',
  },
  policy_tool_untried: {
    status: 409,
    message: 'That tool is one of the toolbox: it takes an agent at a seat. Nothing was called.',
    hint: 'Try it with `knowtation tool call NAME --project DIR --service DIR --role ROLE`.',
  },
  policy_tool_listed: {
    status: 409,
    message: 'The policy lists a tool of that id already. Nothing was written.',
    hint: 'Take it off with `knowtation policy tool remove ID` first, or edit it in policy.yaml of the vault.',
  },
})
