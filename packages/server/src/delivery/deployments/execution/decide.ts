import type { Author } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import { findToDecide, saveStanding } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { type DecisionAction, decisionMade } from './decisions.ts'
import { expectMayContinue } from './gates.ts'
import type { Standing } from './state.ts'

/** What somebody's decision does to a deployment; without `standing` it changes nothing. */
export type Decision<Outcome> = { outcome: Outcome; standing?: Standing }

/** Whose decision it is, and what about. */
export type Decider = { author: Author } & (
  | { action: Exclude<DecisionAction, 'deployments.continue'> }
  /** Gates may deny to continue a release. */
  | { action: 'deployments.continue'; clock: () => Date }
)

/** Far more than the writers of one row there can be at a time; only a bug needs more. */
const mostTries = 20

/**
 * Applies somebody's decision to the row as it is, and again to the newer row when another write came in between.
 * Undefined when the organization has no such deployment.
 */
export async function decide<Outcome>(
  db: Db,
  decider: Decider,
  id: string,
  decision: (standing: Standing) => Decision<Outcome>,
): Promise<{ row: DeploymentRow; outcome: Outcome } | undefined> {
  const { author, action } = decider
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await findToDecide(db, author.organizationId, id)
    if (!found) return undefined
    const { row, isRuled } = found
    const { outcome, standing } = decision(row)
    if (!standing) return { row, outcome }
    const saved = await db.transaction(async (tx) => {
      if (isRuled && 'clock' in decider) await expectMayContinue(tx, row, decider.clock())
      const saved = await saveStanding(tx, row, standing)
      if (saved) await recordChange(tx, author, decisionMade(action, row, saved))
      return saved
    })
    if (saved) return { row: saved, outcome }
  }
  throw new Error(`deployment ${id} changed ${mostTries} times while a decision was to be written`)
}
