import type { FreezableOperation } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { type FreezeScope, overlapsScope } from './active-freezes.ts'
import { useFreezes } from './use-freezes.ts'

// Loaded on demand to keep the first page small: most pages have no freeze to show.
const FreezeLines = lazy(() => import('./freeze-lines.tsx').then((module) => ({ default: module.FreezeLines })))

type Props = {
  scope: FreezeScope
  /** Instance that the page is about. */
  instance?: { id: string; name: string } | undefined
  /** Actions that concern the page; all by default. */
  acts?: readonly FreezableOperation[]
  /** Shows only the end and the reason, for one of several entries on a page. */
  isBrief?: boolean
}

/** Shows active and upcoming freezes of a scope, with the reason and who can override them. */
export const FreezeBanner = ({ scope, instance, acts, isBrief = false }: Props) => {
  const known = useFreezes()
  const freezes = known.freezes.filter(
    (freeze) =>
      freeze.mode === 'ENFORCE' &&
      overlapsScope(freeze, scope) &&
      (!acts || acts.some((act) => freeze.stops.includes(act))),
  )
  if (freezes.length === 0) return null
  return (
    <Suspense>
      <FreezeLines known={{ ...known, freezes }} scope={scope} instance={instance} isBrief={isBrief} />
    </Suspense>
  )
}
