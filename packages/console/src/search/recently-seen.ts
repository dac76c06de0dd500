import type { ReplyOf } from '@sluice/client'
import { queryClient } from '../api/query-client.ts'
import { keyOf } from '../api/use-operation.ts'
import { noteSeen, type Seen, seenAt, seenBy } from './seen.ts'

/** Who is signed in, as far as that is known: nobody is asked for it. */
const membershipId = () => queryClient.getQueryData<ReplyOf<'whoami'>>(keyOf('whoami', {}))?.data.membershipId

/** Notes that the page at this path was seen, where it is one to come back to. */
export function notePage(path: string, title: string): void {
  const who = membershipId()
  const page = seenAt(path, title)
  if (who !== undefined && page) noteSeen(who, page)
}

/** What was seen lately. */
export function recentlySeen(): Seen[] {
  const who = membershipId()
  return who === undefined ? [] : seenBy(who)
}
