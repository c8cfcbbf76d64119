import { type CollectedRecord, type Collector, type Json, type Source, SourceFault } from '../connector.ts'
import {
  changesIn,
  findMember,
  findText,
  markOf,
  pageChanges,
  readIndex,
  stableKey,
} from '../page-changes.ts'
import { cutLine, findTime } from '../source-text.ts'
import { findUpload } from '../uploaded-file.ts'
import { readCsv } from './read-csv.ts'

const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_ORDERS = 20_000
const ORDER = 'Order ID'
/** Columns that are kept. Addresses and means of payment are left in the file. */
const COLUMNS: Readonly<Record<string, string>> = {
  website: 'Website',
  product: 'Product Name',
  asin: 'ASIN',
  quantity: 'Quantity',
  unit_price: 'Unit Price',
  total: 'Total Owed',
  currency: 'Currency',
  order_status: 'Order Status',
  shipment_status: 'Shipment Status',
}

/** Reads the order history that the owner has asked Amazon for. Nothing here signs in anywhere. */
export const amazonCollector: Collector = {
  async probe(source) {
    readOrders(await requireFile(source))
    return { display_name: 'Amazon orders' }
  },
  async *collect(source) {
    const text = await requireFile(source)
    const file = markOf(text)
    if (findText(source.checkpoint, 'file') === file) return
    const orders = readOrders(text)
    const index = readIndex(findMember(source.checkpoint, 'index'))
    yield* pageChanges(changesIn(orders, index, 'forgotten'), {
      stream: 'orders',
      index,
      total: orders.length,
      checkpoint: (marks, is_done) => ({ ...(is_done && { file }), index: marks }),
    })
  },
}

async function requireFile(source: Source): Promise<string> {
  const text = await findUpload(source, 'file', MAX_FILE_BYTES)
  if (text !== undefined) return text
  throw new SourceFault('needs_attention', 'The connection has no order history yet.')
}

function readOrders(text: string): CollectedRecord[] {
  const rows = readCsv(text)
  const names = (rows.next().value ?? []) as string[]
  const places = new Map(names.map((name, place) => [name.trim(), place]))
  if (!places.has(ORDER)) throw new SourceFault('bad_answer', `The file has no column "${ORDER}".`)
  const orders = new Map<string, CollectedRecord>()
  const keyOf = numberedKeys()
  for (const row of rows) {
    const valueOf = (name: string) => row[places.get(name) ?? -1]?.trim() ?? ''
    if (valueOf(ORDER) === '') continue
    const key = keyOf(`${valueOf(ORDER)}/${valueOf('ASIN')}`)
    orders.set(key, { key, data: { order_id: cutLine(valueOf(ORDER), 100), ...dataOf(valueOf) } })
    if (orders.size > MAX_ORDERS) {
      throw new SourceFault('too_large', `The file has more than ${MAX_ORDERS} orders.`)
    }
  }
  return [...orders.values()]
}

/** One product can be in an order several times; the rows keep their order in the file. */
function numberedKeys(): (key: string) => string {
  const counts = new Map<string, number>()
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return stableKey(count === 1 ? key : `${key}#${count}`)
  }
}

function dataOf(valueOf: (name: string) => string): Record<string, Json> {
  const kept = Object.entries(COLUMNS).map(([field, name]) => [field, cutLine(valueOf(name))] as const)
  return {
    ...Object.fromEntries(kept),
    ordered_at: findTime(valueOf('Order Date') || undefined),
    shipped_at: findTime(valueOf('Ship Date') || undefined),
  }
}
