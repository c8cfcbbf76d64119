import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and a certificate of its own for `localhost`, made on the spot: none lies about in the sources. */
export function makeSelfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = der(0x30, hex('06082a8648ce3d040302'))
  const name = der(0x30, der(0x31, der(0x30, hex('0603550403'), der(0x0c, Buffer.from('localhost')))))
  const times = ['200101000000Z', '490101000000Z'].map((time) => der(0x17, Buffer.from(time)))
  const body = der(
    0x30,
    hex('020101'),
    algorithm,
    name,
    der(0x30, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, hex('00'), sign('sha256', body, privateKey))
  const whole = der(0x30, body, algorithm, signature).toString('base64')
  const kind = 'CERTIFICATE'
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN ${kind}-----\n${whole}\n-----END ${kind}-----\n`,
  }
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

/** One element of DER: its tag, its length in as many bytes as that takes, and what it holds. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const held = Buffer.concat(parts)
  const size = held.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), held])
}
