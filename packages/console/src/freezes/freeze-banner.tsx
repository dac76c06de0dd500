import type { FrozenAct } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { concerns, type Where } from './frozen.ts'
import { useFreezes } from './use-freezes.ts'

// Most pages have none to show: the scripts of the first page are counted.
const FreezeLines = lazy(() => import('./freeze-lines.tsx').then((module) => ({ default: module.FreezeLines })))

type Props = {
  place: Where
  /** What the page is about, where it is about one instance. */
  instance?: { id: string; name: string } | undefined
  /** What the page is concerned with; all acts where it does not say. */
  acts?: readonly FrozenAct[]
  /** Whether it is one of many on the page: then it says until when and why, and no more. */
  isBrief?: boolean
}

/** What is frozen in a place, or will be soon: why, until when and who can let something past. */
export const FreezeBanner = ({ place, instance, acts, isBrief = false }: Props) => {
  const known = useFreezes()
  const freezes = known.freezes.filter(
    (freeze) =>
      freeze.mode === 'ENFORCE' && concerns(freeze, place) && (!acts || acts.some((act) => freeze.stops.includes(act))),
  )
  if (freezes.length === 0) return null
  return (
    <Suspense>
      <FreezeLines known={{ ...known, freezes }} place={place} instance={instance} isBrief={isBrief} />
    </Suspense>
  )
}
