import { useEffect, useState } from 'react'
import { askForMissing, queryClient } from '../api/query-client.ts'
import { keyOf } from '../api/use-operation.ts'
import { isConcerned } from './concerned.ts'
import { followChanges } from './follow-changes.ts'
import { renew } from './renew.ts'

/** A connection that is back so soon was hardly away: nobody needs to be told. */
const patienceMs = 2_000

/** Keeps every answer on the page true. Tells since when it cannot: milliseconds since 1970; undefined while it can. */
export function useLiveUpdates(): number | undefined {
  const [awaySince, setAwaySince] = useState<number>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = followChanges({
      onChanges: (changes) => renew(queryClient, (key) => changes.some((change) => isConcerned(key, change))),
      onReset: () => renew(queryClient, () => true),
      onLive: (isLive) => {
        if (isLive) {
          clearTimeout(timer)
          timer = undefined
          setAwaySince(undefined)
          askForMissing()
        } else {
          const since = Date.now()
          timer ??= setTimeout(() => setAwaySince(since), patienceMs) // counted from the first attempt that failed
        }
      },
      onRefused: () => queryClient.invalidateQueries({ queryKey: keyOf('whoami') }),
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return awaySince
}
