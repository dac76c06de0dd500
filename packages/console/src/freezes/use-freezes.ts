import type { Freeze, FrozenAct } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useNow } from '../ui/time.tsx'
import { type Known, nextTurn, stopping, type Where } from './frozen.ts'

/** Those of the whole organization: all parts of all pages share one answer, and look in it for what concerns them. */
const request = { query: { withinHours: 8, include: ['overrides' as const] } }

/** What begins later than the answer tells is learnt so often by a page that stays open. Milliseconds. */
const longestMs = 3_600_000
/** A turn has come to the service's clock as well. */
const afterTurnMs = 1_500

/** The freezes of now and of the next hours. Changes of them are told; the clock alone moves on their periods. */
export function useFreezes(): Known {
  const { data } = useOperation('listActiveFreezes', request, {
    staleTime: 60_000,
    refetchInterval: ({ state }) => {
      const now = Date.now()
      const turn = nextTurn(knownIn(state.data), now)
      return turn === undefined ? longestMs : Math.min(longestMs, turn - now + afterTurnMs)
    },
  })
  return knownIn(data)
}

type Answer = { data: Freeze[]; included?: { overrides?: Known['overrides'] } }

const knownIn = (answer: Answer | undefined): Known => ({
  freezes: answer?.data ?? [],
  overrides: answer?.included?.overrides ?? [],
})

/** What stops something here, the freeze that ends last first. */
export function useStops(act: FrozenAct, place: Where): Freeze[] {
  const known = useFreezes()
  const now = useNow(15_000)
  return stopping(known, act, place, now)
}
