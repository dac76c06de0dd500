import { overdueIn } from '../../../platform/engine/overdue.ts'
import { deployments } from '../store/tables.ts'
import { toDeployment } from './wake.ts'

/** The messages of the deployments whose wake-up is overdue; one that waits for its turn has no timer out of date. */
export const overdueDeployments = overdueIn(deployments, ({ id, status, wakeSeq }) =>
  toDeployment(id, status === 'PENDING' ? {} : { seq: wakeSeq }),
)
