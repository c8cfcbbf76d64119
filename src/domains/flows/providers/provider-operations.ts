import { providerAdd, providerAddMany, providerRemove } from './provider-changes.ts'
import { providerList, providerTest } from './provider-reads.ts'

/** What the owner does with the servers and services behind tools. */
export const providerOperations = [providerList, providerAdd, providerAddMany, providerTest, providerRemove]
