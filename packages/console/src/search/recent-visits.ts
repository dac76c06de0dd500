import type { ReplyOf } from '@sluice/client'
import { queryClient } from '../api/query-client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { loadVisits, storeVisit, type Visit, visitAt } from './visits.ts'

/** Returns the member's ID from the cache, without a request. */
const membershipId = () => queryClient.getQueryData<ReplyOf<'whoami'>>(queryKeyOf('whoami', {}))?.data.membershipId

/** Stores a visit to the page at this path, if it is worth returning to. */
export function recordVisit(path: string, title: string): void {
  const who = membershipId()
  const page = visitAt(path, title)
  if (who !== undefined && page) storeVisit(who, page)
}

/** Returns recently viewed pages. */
export function recentVisits(): Visit[] {
  const who = membershipId()
  return who === undefined ? [] : loadVisits(who)
}
