import { type IacPlan, iacChangeTypes } from '@sluice/contract'
import type { PlanSummary } from './tables.ts'

/** How much of what a plan does, as the interface tells it: what it does not do counts nought. */
export const changeCountsOf = ({ changeCounts }: PlanSummary): IacPlan['changeCounts'] =>
  Object.fromEntries(iacChangeTypes.map((type) => [type, changeCounts[type] ?? 0]))
