import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { labelSet } from '../../../../domains/admin/labels/label-set.ts'
import type { Operation } from '../../../../operations/define-operation.ts'
import { Refusal } from '../../../../operations/errors.ts'
import type { Hub } from '../../../../operations/hub.ts'
import { type Registry, requireOperation } from '../../../../operations/registry.ts'
import type { Answer } from '../../../../operations/run-operation.ts'
import { parseExactJson } from '../../../../platform/basics/exact-json.ts'
import { type OnceValues, onceValues } from '../once-values.ts'
import { fieldOf, formToken, runForm } from '../owner-forms.ts'
import { addressIn, askIn, queryOf, sentenceOf, vaultNamed, vaultOfPage } from '../owner-vault.ts'
import { showSignInFirst } from '../sign-in-pages.ts'
import { sendPage } from '../views/page-layout.ts'
import { CEREMONIES, type Ceremony, type CeremonyKind, type Wanted } from './ceremonies.ts'
import { bearerPart, confirmPart } from './new-bearer-view.ts'

const SENT_BEFORE =
  'This form was sent before, or is out of date: nothing was made now. If you do not have the bearer of the earlier one, revoke it and make another.'
const CHANGED =
  'What it would allow has changed since the page was shown, so nothing was made. Look at it as it is now.'

/**
 * Where the console's steps for a grant, a seat or a token end: the hub says what it would allow, and the answer to the one
 * button has the bearer. It is on that answer alone: in no address, no application, no store and no history.
 */
export function addNewBearerPages(pages: FastifyInstance, hub: Hub, registry: Registry): void {
  const once = onceValues(hub)
  for (const [kind, ceremony] of Object.entries(CEREMONIES) as [CeremonyKind, Ceremony][]) {
    const path = `/owner/new/${kind}`
    const asking = {
      hub,
      ceremony,
      preview: ceremony.preview === undefined ? undefined : requireOperation(registry, ceremony.preview),
    }
    const show = (request: FastifyRequest, reply: FastifyReply, status: number, fault?: string) =>
      showConfirm({ ...asking, once, path }, request, reply, status, fault)
    pages.get(path, (request, reply) => show(request, reply, 200))
    pages.post(path, async (request, reply) => {
      const wanted = wantedOf(request)
      const isFirst = once.take(request.identity.caller.id, fieldOf(request, 'once'))
      const vault = vaultNamed(request)
      const isSame =
        isFirst && (await digestOf(asking, request, vault, wanted)) === fieldOf(request, 'digest')
      const refused = isSame ? undefined : new Refusal('FORBIDDEN', isFirst ? CHANGED : SENT_BEFORE)
      const made = await runForm(hub, request, reply, ceremony.make, ceremony.inputOf(wanted), {
        vault,
        refused,
      })
      if (!made.ok) return show(request, reply, made.status, sentenceOf(made))
      const told = ceremony.read(JSON.parse(made.text) as object)
      const unnamed = await nameIt(hub, request, reply, {
        vault,
        id: told.id,
        label: ceremony.labelOf(wanted),
      })
      const connect = addressIn('/console/agents', vault, { tab: 'connect', ...told.connect })
      return sendPage(reply, made.status, {
        title: ceremony.done,
        lead: 'Copy the bearer now: it is on this page alone, once. The hub keeps only its hash.',
        fault: unnamed,
        body: bearerPart(told, connect),
        signed_in: true,
      })
    })
  }
}

interface Asking {
  readonly hub: Hub
  readonly ceremony: Ceremony
  /** What shows what it would allow, where there is such a thing. */
  readonly preview: Operation | undefined
}

interface Page extends Asking {
  readonly once: OnceValues
  readonly path: string
}

async function showConfirm(
  page: Page,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { hub, once, ceremony, path } = page
  const { caller } = request.identity
  if (caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const wanted = wantedOf(request)
  const back = addressIn('/console/agents', vaultNamed(request), ceremony.back)
  if (Object.keys(wanted).length === 0 && fault === undefined) return reply.redirect(back, 303)
  const { vault } = vaultOfPage(request)
  const shown = await previewOf(page, request, vault, wanted)
  const refused = shown && !shown.ok ? shown : undefined
  const preview = shown?.ok ? (JSON.parse(shown.text) as Record<string, unknown>) : {}
  const body = confirmPart({
    path,
    vault,
    form_token: formToken(hub, request, reply),
    once: once.give(caller.id),
    wanted: JSON.stringify(wanted),
    digest: String(preview.digest ?? ''),
    name: ceremony.nameOf(wanted),
    allows: refused ? [] : ceremony.tell(preview, wanted),
    button: ceremony.button,
    back,
    isReady: !refused && preview.mintable !== false,
  })
  return sendPage(reply, refused && status === 200 ? refused.status : status, {
    title: ceremony.title,
    lead: 'Exactly this is what it allows.',
    fault: fault ?? (refused && sentenceOf(refused)),
    body,
    signed_in: true,
  })
}

/** What was chosen, as the console or the form before says; nothing where that cannot be read. */
function wantedOf(request: FastifyRequest): Wanted {
  const text = fieldOf(request, 'wanted') || (queryOf(request, 'wanted') ?? '{}')
  try {
    const wanted: unknown = parseExactJson(text)
    return typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) ? (wanted as Wanted) : {}
  } catch {
    return {}
  }
}

async function previewOf(
  { hub, ceremony, preview }: Asking,
  request: FastifyRequest,
  vault: string,
  wanted: Wanted,
): Promise<Answer | undefined> {
  return preview && askIn(hub, request, vault, preview, ceremony.previewInputOf(wanted))
}

/** Over what the owner is shown; nothing where there is no preview, or none can be made. */
async function digestOf(
  asking: Asking,
  request: FastifyRequest,
  vault: string,
  wanted: Wanted,
): Promise<string> {
  if (request.identity.caller.kind !== 'owner_session') return ''
  const shown = await previewOf(asking, request, vault, wanted)
  return shown?.ok ? String((JSON.parse(shown.text) as { digest?: unknown }).digest ?? '') : ''
}

/** The name is kept beside what was made; where it cannot be, that is told, and the bearer is shown nonetheless. */
async function nameIt(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { vault, id, label }: { vault: string; id: string; label: string | undefined },
): Promise<string | undefined> {
  if (label === undefined) return undefined
  const named = await runForm(hub, request, reply, labelSet, { id, label }, { vault })
  return named.ok ? undefined : `It has no name yet: ${sentenceOf(named)}`
}
