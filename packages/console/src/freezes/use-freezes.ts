import type { FreezableOperation, Freeze } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useNow } from '../ui/time.tsx'
import { blockingFreezes, type FreezeScope, type FreezesAndOverrides, nextChangeAt } from './active-freezes.ts'

/** Fetches freezes of the whole organization, so that all parts of all pages share one answer. */
const request = { query: { withinHours: 8, include: ['overrides' as const] } }

/** Refetch interval for freezes that start later than the answer covers. Milliseconds. */
const longestMs = 3_600_000
/** Delay until the server's clock has reached the change as well. */
const afterTurnMs = 1_500

/** Returns active and upcoming freezes. The server pushes changes; the clock updates periods. */
export function useFreezes(): FreezesAndOverrides {
  const { data } = useOperation('listActiveFreezes', request, {
    staleTime: 60_000,
    refetchInterval: ({ state }) => {
      const now = Date.now()
      const turn = nextChangeAt(knownIn(state.data), now)
      return turn === undefined ? longestMs : Math.min(longestMs, turn - now + afterTurnMs)
    },
  })
  return knownIn(data)
}

type Answer = { data: Freeze[]; included?: { overrides?: FreezesAndOverrides['overrides'] } }

const knownIn = (answer: Answer | undefined): FreezesAndOverrides => ({
  freezes: answer?.data ?? [],
  overrides: answer?.included?.overrides ?? [],
})

/** Returns the freezes that block an action here, the one that ends last first. */
export function useBlockingFreezes(act: FreezableOperation, scope: FreezeScope): Freeze[] {
  const known = useFreezes()
  const now = useNow(15_000)
  return blockingFreezes(known, act, scope, now)
}
