import type { IacOrder } from '@sluice/contract/runner-protocol'
import type { OrderHandler } from '../attempt.ts'
import { applyPlan, runDestroy } from './apply.ts'
import type { IacParts } from './parts.ts'
import { runPlan } from './plan.ts'

/** Creates the handler of the steps of the iac tool. */
export const createIacHandler =
  (parts: IacParts): OrderHandler<IacOrder> =>
  (attempt, order) =>
    parts.plugins.use(attempt.organizationId, () => runs[order.run](parts, attempt, order))

const runs = { APPLY: applyPlan, DESTROY: runDestroy, PLAN: runPlan, DRIFT: runPlan }
