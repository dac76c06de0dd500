import type { PolicyVerdict } from '@sluice/contract'
import { noteStops } from '../../../gates/denials.ts'
import { judge, refuseIfStopped } from '../../../gates/policies/judge.ts'
import { asking, judgedAnew, newIn, stoppedBy } from '../../../gates/policies/machine.ts'
import { recordPolicyWarnings } from '../../../gates/warnings.ts'
import { theService } from '../../../identity/audit-events/author.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { Approved } from '../approvals/until-approved.ts'
import { subjectsOf } from '../representation/policy-subjects.ts'
import { isRollback, type NewDeployment } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { endWaiting } from './end-waiting.ts'
import { stoppedAtStart } from './failures.ts'
import type { KeptData } from './state.ts'

/**
 * A deployment that is about to be stored, with what the policies said of it; what one of them stops is refused. To be
 * called within `answered`.
 */
export async function judged(tx: Db, row: NewDeployment, now: Date): Promise<NewDeployment> {
  const { organizationId, id: deploymentId, moduleInstanceId } = row
  const verdicts = await verdictsOn(tx, row, now)
  if (verdicts.length === 0) return row
  refuseIfStopped(verdicts, { moduleInstanceId })
  await recordPolicyWarnings(tx, organizationId, verdicts, { deploymentId, moduleInstanceId })
  const data: KeptData = { ...row.data, policies: verdicts }
  return { ...row, data }
}

/**
 * A deployment that is about to start, judged once more: policies and what they were passed by may have changed since
 * it was requested, however short that was. What one of them stops now ends; what people were asked stays asked, and
 * they may be asked more. To be called within `answered`.
 */
export async function judgedAgain(tx: Db, row: DeploymentRow, now: Date): Promise<Approved & { isAskedMore: boolean }> {
  const { organizationId, id: deploymentId, moduleInstanceId } = row
  const { policies: before = [] } = row.data
  const verdicts = judgedAnew(before, await verdictsOn(tx, row, now))
  if (verdicts.length === 0) return { may: 'start', row, isAskedMore: false }
  const of = { moduleInstanceId, deploymentId }
  const stop = stoppedBy(verdicts)
  const next: DeploymentRow = { ...row, data: { ...row.data, policies: verdicts } }
  if (stop) {
    await noteStops(tx, theService(organizationId), { ...stop, of })
    return { may: 'end', row: await endWaiting(tx, next, stoppedAtStart(stop), now), isAskedMore: false }
  }
  const added = newIn(before, verdicts)
  await recordPolicyWarnings(tx, organizationId, added, of)
  return { may: 'start', row: next, isAskedMore: asking(added).length > 0 }
}

const verdictsOn = (tx: Db, row: NewDeployment, now: Date): Promise<PolicyVerdict[]> =>
  judge(tx, {
    organizationId: row.organizationId,
    guards: 'DEPLOYMENTS',
    place: row,
    isRollback: isRollback(row),
    now,
    subject: async () => {
      const [subject = {}] = await subjectsOf(tx, row.organizationId, [{ row, askedAt: now }])
      return subject
    },
  })
