import type { Author } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { type DecisionAction, decisionMade } from './decisions.ts'
import type { Standing } from './standing.ts'
import { findDeployment, saveStanding } from './store.ts'
import type { DeploymentRow } from './tables.ts'

/** What somebody's decision does to a deployment; without `standing` it changes nothing. */
export type Decision<Outcome> = { outcome: Outcome; standing?: Standing }

/** Whose decision it is, and what about. */
export type Decider = { author: Author; action: DecisionAction }

/** Far more than the writers of one row there can be at a time; only a bug needs more. */
const mostTries = 20

/**
 * Applies somebody's decision to the row as it is, and again to the newer row when another write came in between.
 * Undefined when the organization has no such deployment.
 */
export async function decide<Outcome>(
  db: Db,
  { author, action }: Decider,
  id: string,
  decision: (standing: Standing) => Decision<Outcome>,
): Promise<{ row: DeploymentRow; outcome: Outcome } | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const row = await findDeployment(db, author.organizationId, id)
    if (!row) return undefined
    const { outcome, standing } = decision(row)
    if (!standing) return { row, outcome }
    const saved = await db.transaction(async (tx) => {
      const saved = await saveStanding(tx, row.revision, standing)
      if (saved) await recordChange(tx, author, decisionMade(action, row, saved))
      return saved
    })
    if (saved) return { row: saved, outcome }
  }
  throw new Error(`deployment ${id} changed ${mostTries} times while a decision was to be written`)
}
