import { errorTable } from '../../../operations/errors.ts'

export const providerErrors = errorTable({
  unknown_provider: {
    status: 404,
    message: 'The policy has no provider of that name.',
    hint: '`knowtation provider list` shows those under providers in policy.yaml of the vault.',
  },
  provider_listed: {
    status: 409,
    message: 'The policy has a provider of that name already. Nothing was written.',
    hint: 'Choose another name, or change it under providers in policy.yaml of the vault.',
  },
  provider_in_use: {
    status: 409,
    message: 'Tools of the allowlist are reached by this provider. Nothing was written.',
    hint: 'Take them off with `knowtation policy tool remove ID` first.',
  },
})
