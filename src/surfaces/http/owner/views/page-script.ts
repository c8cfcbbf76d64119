/**
 * The one script of the ceremonies: signing in with a passkey, which browsers offer to scripts alone, and what makes a bearer that is
 * shown once handier. Everything but passkeys works without it.
 */
export const OWNER_SCRIPT = `'use strict'
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (sign) => sign.charCodeAt(0))
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const told = await answer.json()
  if (!answer.ok) throw new Error(told.error.message)
  return told
}

async function signIn(form) {
  const form_token = form.elements.form_token.value
  const { options } = await post('/owner/passkey/challenge', { form_token })
  const publicKey = { ...options, challenge: bytes(options.challenge) }
  const { rawId, response } = await navigator.credentials.get({ publicKey })
  const credential = {
    id: text(rawId),
    rawId: text(rawId),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      ...(response.userHandle && { userHandle: text(response.userHandle) }),
    },
  }
  await post('/owner/passkey/sign-in', { form_token, credential })
  location.assign(form.dataset.then)
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const fault = form.querySelector('.fault')
  const button = form.querySelector('button')
  form.hidden = !window.PublicKeyCredential
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fault.hidden = true
    button.disabled = true
    try {
      await signIn(form)
    } catch (error) {
      const isCancelled = error.name === 'NotAllowedError'
      fault.textContent = isCancelled ? 'No passkey was used.' : error.message
      fault.hidden = false
    } finally {
      button.disabled = false
    }
  })
}

// A bearer leaves the page with its reader. The page's place in the history becomes that of the list, so that a reload
// asks for the list instead of sending the form again.
for (const part of document.querySelectorAll('[data-once]')) {
  const bearer = part.querySelector('.bearer')
  const copy = part.querySelector('[data-copy]')
  const told = part.querySelector('[role=status]')
  history.replaceState(null, '', location.href)
  addEventListener('pagehide', () => part.remove())
  copy.hidden = false
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(bearer.textContent)
      told.textContent = 'Copied.'
    } catch {
      getSelection().selectAllChildren(bearer)
      told.textContent = 'It is selected: copy it with the keyboard.'
    }
  })
}
`
