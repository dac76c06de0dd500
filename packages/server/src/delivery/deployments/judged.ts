import type { Db } from '../../platform/db/open.ts'
import { judge, noteWarnings, refuseIfStopped } from '../policies/judge.ts'
import { subjectsOf } from './policy-subjects.ts'
import type { KeptData } from './standing.ts'
import { isRollback, type NewDeployment } from './store.ts'

/**
 * A deployment that is about to be stored, with what the policies said of it; what one of them stops is refused. It is
 * judged once, when it is asked for: of one that waits, policies made since then are not asked. To be called within
 * `answered`.
 */
export async function judged(tx: Db, row: NewDeployment, now: Date): Promise<NewDeployment> {
  const { organizationId, id: deploymentId, moduleInstanceId } = row
  const verdicts = await judge(tx, {
    organizationId,
    guards: 'DEPLOYMENTS',
    place: row,
    isRollback: isRollback(row),
    now,
    subject: async () => {
      const [subject = {}] = await subjectsOf(tx, organizationId, [{ row, askedAt: now }])
      return subject
    },
  })
  if (verdicts.length === 0) return row
  refuseIfStopped(verdicts)
  await noteWarnings(tx, organizationId, verdicts, { deploymentId, moduleInstanceId })
  const data: KeptData = { ...row.data, policies: verdicts }
  return { ...row, data }
}
