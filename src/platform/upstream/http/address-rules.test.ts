import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressRule, isPublicAddress } from './address-rules.ts'

const hex = (address: string) =>
  address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(....)(....)$/, '$1:$2')

/** Ranges written down a second time, by their first bytes, as the reference to compare with. */
const CLOSED: ((a: number, b: number, c: number, d: number) => boolean)[] = [
  (a) => a === 0 || a === 10 || a === 127 || a >= 224,
  (a, b) => a === 100 && b >= 64 && b <= 127,
  (a, b) => a === 169 && b === 254,
  (a, b) => a === 172 && b >= 16 && b <= 31,
  (a, b) => a === 192 && b === 168,
  (a, b, c) => a === 192 && b === 0 && (c === 0 || c === 2),
  (a, b, c) => a === 192 && b === 88 && c === 99,
  (a, b) => a === 198 && (b === 18 || b === 19),
  (a, b, c) => a === 198 && b === 51 && c === 100,
  (a, b, c) => a === 203 && b === 0 && c === 113,
  (a, b, c, d) => a === 168 && b === 63 && c === 129 && d === 16,
]
const byte = fc.integer({ min: 0, max: 255 })
const first = fc.oneof(byte, fc.constantFrom(0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 255))
const second = fc.oneof(byte, fc.constantFrom(0, 16, 18, 31, 51, 63, 64, 88, 127, 168, 254))
const v4 = fc.tuple(first, second, byte, byte)

describe('isPublicAddress', () => {
  test('agrees with the list of closed IPv4 ranges', () => {
    fc.assert(
      fc.property(v4, (bytes) => {
        expect(isPublicAddress(bytes.join('.'))).toBe(!CLOSED.some((isClosed) => isClosed(...bytes)))
      }),
      { numRuns: 2000 },
    )
  })

  test('no IPv6 form of any IPv4 address is public', () => {
    fc.assert(
      fc.property(v4, (bytes) => {
        const address = bytes.join('.')
        const plain = ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'].map((head) => head + address)
        const tunnelled = [`::ffff:${hex(address)}`, `2002:${hex(address)}::1`, `2001::${hex(address)}`]
        const forms = [...plain, ...tunnelled]
        expect(forms.filter(isPublicAddress)).toEqual([])
      }),
    )
  })

  test('only global unicast IPv6 is public', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), ([head = 0, ...rest]) => {
        const address = [head, ...rest].map((one) => one.toString(16)).join(':')
        if (head < 0x2000 || head > 0x3fff) expect(isPublicAddress(address)).toBe(false)
      }),
    )
  })

  test.each(
    [
      ':: ::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 2001:db8::1 169.254.169.254 100.100.100.200',
      '192.0.0.192 0.0.0.0 255.255.255.255 localhost 1.2.3 0x7f.1',
    ].flatMap((addresses) => addresses.split(' ')),
  )('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

describe('addressRule', () => {
  test('a literal address or localhost in the url is named, for that host and port alone', () => {
    const rule = addressRule('http://127.0.0.1:9000/mcp', [])
    expect(rule('127.0.0.1', '127.0.0.1', '9000')).toBe(true)
    expect(rule('127.0.0.1', '127.0.0.1', '22')).toBe(false)
    expect(rule('127.0.0.2', '127.0.0.2', '9000')).toBe(false)
    expect(rule('127.0.0.1', 'rebound.test', '9000')).toBe(false)
    const local = addressRule('http://localhost/mcp', [])
    expect(local('127.0.0.1', 'localhost', '80')).toBe(true)
    expect(local('::1', 'localhost', '80')).toBe(true)
    expect(local('10.0.0.1', 'localhost', '80')).toBe(false)
    expect(addressRule('https://[fd00::1]/', [])('fd00::1', 'fd00::1', '443')).toBe(true)
  })

  test('a name names nothing', () => {
    fc.assert(
      fc.property(v4, (bytes) => {
        const address = bytes.join('.')
        const rule = addressRule('https://example.test/', [])
        expect(rule(address, 'example.test', '443')).toBe(isPublicAddress(address))
      }),
    )
  })

  test('allow_addresses open what they list, everywhere, and nothing beside it', () => {
    const rule = addressRule('https://example.test/', ['10.1.0.0/16', 'fd00::/8', '127.0.0.1'])
    const addresses = [
      '10.1.2.3',
      '10.2.0.1',
      'fd12::1',
      'fc00::1',
      '127.0.0.1',
      '127.0.0.2',
      '169.254.169.254',
    ]
    expect(addresses.filter((address) => rule(address, 'any.test', '1'))).toEqual([
      '10.1.2.3',
      'fd12::1',
      '127.0.0.1',
    ])
    const all_v6 = addressRule('https://example.test/', ['::/0'])
    expect(all_v6('10.0.0.1', 'any.test', '1')).toBe(false)
  })
})
