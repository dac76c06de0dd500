import {
  currentMinute,
  type LoadPastSubjects,
  loadScopes,
  loadStarters,
  type Subject,
} from '../../../gates/policy-subjects.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import { dataOf } from '../execution/state.ts'
import { latestDeployments, type NewDeployment } from '../store/store.ts'
import { imagesOf } from './images.ts'
import { loadRehearsals } from './rehearsals.ts'

/** Deployment, possibly not stored yet, and the time of its request. */
export type DeploymentSubject = { row: NewDeployment; askedAt: Date }

/** Returns the variables of policy expressions for deployments; `variables.ts` of policies declares their types. */
export async function subjectsOf(
  db: Db,
  organizationId: string,
  told: readonly DeploymentSubject[],
): Promise<Subject[]> {
  const rows = told.map(({ row }) => row)
  const placeOf = await loadScopes(db, organizationId, rows)
  const starterOf = await loadStarters(
    db,
    organizationId,
    rows.map(({ triggeredById }) => triggeredById),
  )
  const rehearsalOf = await loadRehearsals(db, organizationId, rows)
  return told.map(({ row, askedAt }) => ({
    deployment: deploymentOf(row),
    release: { rehearsal: rehearsalOf(row) },
    ...placeOf(row),
    starter: starterOf(row.triggeredById),
    now: currentMinute(askedAt),
  }))
}

/** Returns the latest deployments in a scope. */
export const pastDeployments: LoadPastSubjects = async (db, organizationId, wish) => {
  const found = await latestDeployments(db, organizationId, wish)
  const told = found.map((row) => ({ row, askedAt: row.createdAt }))
  const subjects = await subjectsOf(db, organizationId, told)
  return found.map(({ id: deploymentId, createdAt }, index) => ({
    of: { deploymentId },
    createdAt,
    subject: subjects[index] ?? {},
  }))
}

function deploymentOf(row: NewDeployment): Subject {
  const { release, inputs, triggerSource, redeployOfDeploymentId, promotedFromDeploymentId } = row
  return present({
    type: release.type,
    strategy: 'strategy' in release ? release.strategy.type : undefined,
    source: triggerSource,
    isRollback: triggerSource === 'ROLLBACK',
    isRedeployment: !!redeployOfDeploymentId,
    isPromotion: !!promotedFromDeploymentId,
    images: imagesOf(release, dataOf(row.data)),
    inputs: Object.keys(inputs).toSorted(),
  })
}
