import { errorTable } from '../errors.ts'

/** What an operation that changes or reads the file of a policy may say. The reason names the file, and the lines. */
export const policyChangeErrors = errorTable({
  policy_changed: {
    status: 409,
    message: 'The policy was changed meanwhile. Nothing was written.',
    hint: 'Look at it again with `knowtation policy show`, then make the change anew.',
  },
  policy_invalid: {
    status: 400,
    message: 'The policy would be damaged, and nothing it could allow would count. Nothing was written.',
    hint: '`knowtation policy check` tells what is wrong with the file as it stands.',
  },
  policy_damaged: {
    status: 409,
    message: 'The policy cannot be read, so nothing in it can be changed.',
    hint: '`knowtation policy show` names the line; `knowtation policy revert` puts back what counted before.',
  },
  policy_uneditable: {
    status: 409,
    message: 'What is to be changed is written so that it cannot be changed alone. Nothing was written.',
    hint: 'Change it by hand in policy.yaml of the vault, or with `knowtation policy edit`.',
  },
  policy_unwritable: {
    status: 503,
    message: 'The file of the policy cannot be written now. Nothing was changed.',
    hint: 'Check who owns policy.yaml of the vault and its folder, and that the disk has room.',
  },
})
