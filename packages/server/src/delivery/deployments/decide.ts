import type { Db } from '../../platform/db/open.ts'
import type { Standing } from './standing.ts'
import { findDeployment, saveStanding } from './store.ts'
import type { DeploymentRow } from './tables.ts'

/** What a person's decision does to a deployment; without `standing` it changes nothing. */
export type Decision<Outcome> = { outcome: Outcome; standing?: Standing }

/** Far more than the writers of one row there can be at a time; only a bug needs more. */
const mostTries = 20

/**
 * Applies a person's decision to the row as it is, and again to the newer row when another write came in between.
 * Undefined when the organization has no such deployment.
 */
export async function decide<Outcome>(
  db: Db,
  organizationId: string,
  id: string,
  decision: (standing: Standing) => Decision<Outcome>,
): Promise<{ row: DeploymentRow; outcome: Outcome } | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const row = await findDeployment(db, organizationId, id)
    if (!row) return undefined
    const { outcome, standing } = decision(row)
    if (!standing) return { row, outcome }
    const saved = await saveStanding(db, row.revision, standing)
    if (saved) return { row: saved, outcome }
  }
  throw new Error(`deployment ${id} changed ${mostTries} times while a decision was to be written`)
}
