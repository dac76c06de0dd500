import { type IacPlan, iacChangeTypes } from '@sluice/contract'
import type { PlanSummary } from './tables.ts'

/** Returns the API representation of a plan's change counts, with 0 for absent ones. */
export const changeCountsOf = ({ changeCounts }: PlanSummary): IacPlan['changeCounts'] =>
  Object.fromEntries(iacChangeTypes.map((type) => [type, changeCounts[type] ?? 0]))
