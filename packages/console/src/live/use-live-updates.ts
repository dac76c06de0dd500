import { useEffect, useState } from 'react'
import { queryClient, refetchFailedQueries } from '../api/query-client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { followChanges } from './follow-changes.ts'
import { isAffected } from './is-affected.ts'
import { refetchAffected } from './refetch-affected.ts'

/** Shorter interruptions are not shown. */
const gracePeriodMs = 2_000

/**
 * Keeps all queries on the page up to date. Returns the time since when it can't (milliseconds since 1970), or
 * undefined.
 */
export function useLiveUpdates(): number | undefined {
  const [awaySince, setAwaySince] = useState<number>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = followChanges({
      onChanges: (changes) => refetchAffected(queryClient, (key) => changes.some((change) => isAffected(key, change))),
      onReset: () => refetchAffected(queryClient, () => true),
      onLive: (isLive) => {
        if (isLive) {
          clearTimeout(timer)
          timer = undefined
          setAwaySince(undefined)
          refetchFailedQueries()
        } else {
          const since = Date.now()
          timer ??= setTimeout(() => setAwaySince(since), gracePeriodMs) // since the first failed attempt
        }
      },
      onRefused: () => queryClient.invalidateQueries({ queryKey: queryKeyOf('whoami') }),
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return awaySince
}
