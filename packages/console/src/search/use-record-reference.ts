import { ApiError } from '@sluice/client'
import type { RecordDescription } from '@sluice/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { isRecordReference } from './record-reference.ts'

/** Returns the record that an ID or ARN identifies; null if there is none that the caller can see. */
export function useRecordReference(text: string): UseQueryResult<RecordDescription | null, Error> {
  const query = { id: text }
  return useQuery({
    queryKey: queryKeyOf('describe', { query }),
    queryFn: ({ signal }) => describe(query, signal),
    enabled: isRecordReference(text),
  })
}

async function describe(query: { id: string }, signal: AbortSignal): Promise<RecordDescription | null> {
  try {
    return (await client.describe({ query }, { signal })).data
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null // the text can be something else
    throw error
  }
}
