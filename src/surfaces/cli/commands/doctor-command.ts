import type { DoctorOutput } from '../../../domains/admin/doctor.ts'
import { isFlagOn } from '../command.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer } from '../output/output.ts'

/** `doctor`: fails when something is wrong, so that a script can ask it too. */
export const doctorExtension: Extension = {
  flags: [
    { name: 'public', description: 'Ask at public_url, as a stranger would, what must not answer there' },
    {
      name: 'at',
      value: 'ADDRESS',
      description: 'With --public: ask at this address[:port], not where DNS says',
    },
  ],
  async before(invocation) {
    if (!isFlagOn(invocation, 'public')) return undefined
    return (await import('./public/doctor-public.ts')).doctorPublic(invocation)
  },
  async act({ operation, invocation, call }) {
    const answer = await call()
    const code = await printAnswer(operation, answer, invocation)
    return code === 0 && !readAnswer<typeof DoctorOutput>(answer).healthy ? 1 : code
  },
}
