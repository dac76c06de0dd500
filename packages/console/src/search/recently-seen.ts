import type { ReplyOf } from '@sluice/client'
import { queryClient } from '../api/query-client.ts'
import { keyOf } from '../api/use-operation.ts'
import { noteSeen, type Seen, seenAt, seenBy } from './seen.ts'

/** Returns the member's ID from the cache, without a request. */
const membershipId = () => queryClient.getQueryData<ReplyOf<'whoami'>>(keyOf('whoami', {}))?.data.membershipId

/** Stores a visit to the page at this path, if it is worth returning to. */
export function notePage(path: string, title: string): void {
  const who = membershipId()
  const page = seenAt(path, title)
  if (who !== undefined && page) noteSeen(who, page)
}

/** Returns recently viewed pages. */
export function recentlySeen(): Seen[] {
  const who = membershipId()
  return who === undefined ? [] : seenBy(who)
}
