import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { amazonCollector } from './collector.ts'
import { readCsv } from './read-csv.ts'

const HEAD =
  'Website,Order ID,Order Date,Currency,Unit Price,Total Owed,ASIN,Quantity,Order Status,Product Name'
const HISTORY = `\uFEFF${HEAD},Shipping Address\r
Amazon.de,303-1,2025-01-02T03:04:05Z,EUR,9.99,19.98,B00A,2,Closed,"Lamp, ""small""","1 Sentinel Road"\r
Amazon.de,303-1,2025-01-02T03:04:05Z,EUR,9.99,9.99,B00A,1,Closed,Lamp,x\r
Amazon.de,303-2,2025-02-02T00:00:00Z,EUR,1,1,B00B,1,Closed,Cup,x\r
`
const open = (file?: string) => openTestSource({ secrets: file === undefined ? {} : { file } })

describe('an order history', () => {
  test('gives each order once, without addresses', async () => {
    await using source = open(HISTORY)
    expect(await amazonCollector.probe(source)).toEqual({ display_name: 'Amazon orders' })
    const first = await collectPages(amazonCollector, source)
    expect([...first.records.keys()]).toEqual([
      'orders:303-1/B00A',
      'orders:303-1/B00A#2',
      'orders:303-2/B00B',
    ])
    expect(first.records.get('orders:303-1/B00A')).toMatchObject({
      order_id: '303-1',
      product: 'Lamp, "small"',
      ordered_at: '2025-01-02T03:04:05.000Z',
      quantity: '2',
    })
    expect(JSON.stringify([...first.records])).not.toContain('Sentinel')
    expect((await collectPages(amazonCollector, source, { before: first })).pages).toEqual([])
  })

  test('goes on where it was broken off', async () => {
    const rows = Array.from({ length: 1_100 }, (_, n) => `x,o${n},2025-01-01,EUR,1,1,A,1,Closed,p`)
    await using source = open(`${HEAD}\n${rows.join('\n')}`)
    const { whole, broken } = await collectBrokenOff(amazonCollector, source)
    expect([whole.records.size, broken.length]).toEqual([1_100, 2])
    for (const { records } of broken) expect(records).toEqual(whole.records)
  })

  test.each([
    ['nothing', undefined, 'needs_attention'],
    ['another table', 'a,b\n1,2\n', 'bad_answer'],
    ['a file that is no table', 'Order ID\n"open', 'bad_answer'],
    ['a picture', '\x89PNG\r\n\x1a\n', 'bad_answer'],
    ['too many orders', `Order ID\n${'x\n'.repeat(20_001)}`, 'too_large'],
  ])('cannot be read from %s', async (_, file, code) => {
    await using source = open(file)
    await expect(amazonCollector.probe(source)).rejects.toMatchObject({ code })
  })
})

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`

test('what is written as a table is read as it was', () => {
  const value = fc.string().map((text) => text.replaceAll('\0', ''))
  const rows = fc.array(fc.array(value, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(rows, fc.constantFrom('\n', '\r\n'), (table, end) => {
      const text = table.map((row) => row.map(quote).join(',')).join(end)
      expect([...readCsv(text)]).toEqual(table)
    }),
  )
})
