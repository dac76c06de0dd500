import { isMissing } from '@sluice/calls/missing'
import type { Client } from '@sluice/client'
import type { RecordDescription } from '@sluice/contract'

/**
 * Finds a record by its id, by an ARN or by the email address of a member; otherwise the only module instance with this
 * givenId.
 */
export async function findRecord(client: Client, word: string): Promise<RecordDescription> {
  try {
    return (await client.describe({ query: { id: word } })).data
  } catch (error) {
    if (!isMissing(error)) throw error
    const [instance, ...others] = (await client.listModuleInstances({ query: { givenId: word, limit: 2 } })).data
    if (!instance || others.length > 0) throw error
    return (await client.describe({ query: { id: instance.id } })).data
  }
}
