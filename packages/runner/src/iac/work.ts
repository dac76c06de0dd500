import type { IacOrder } from '@sluice/contract/runner-protocol'
import type { Work } from '../attempt.ts'
import { applyPlanOf, destroyAll } from './apply.ts'
import type { IacParts } from './parts.ts'
import { planOnly } from './plan.ts'

/** Carries out the steps of the iac tool. */
export const iacWork =
  (parts: IacParts): Work<IacOrder> =>
  (attempt, order) =>
    parts.plugins.use(attempt.organizationId, () => carryOut[order.run](parts, attempt, order))

const carryOut = { APPLY: applyPlanOf, DESTROY: destroyAll, PLAN: planOnly, DRIFT: planOnly }
