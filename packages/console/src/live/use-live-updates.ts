import { useEffect, useState } from 'react'
import { askForMissing, queryClient } from '../api/query-client.ts'
import { keyOf } from '../api/use-operation.ts'
import { isConcerned } from './concerned.ts'
import { followChanges } from './follow-changes.ts'
import { renew } from './renew.ts'

/** Shorter interruptions are not shown. */
const patienceMs = 2_000

/**
 * Keeps all queries on the page up to date. Returns the time since when it can't (milliseconds since 1970), or
 * undefined.
 */
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
          timer ??= setTimeout(() => setAwaySince(since), patienceMs) // since the first failed attempt
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
