import type { Author } from '../../../identity/audit-events/author.ts'
import { recordChange } from '../../../identity/audit-events/record.ts'
import type { Db } from '../../../platform/db/open.ts'
import { findForDecision, saveState } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { type DecisionAction, decisionMade } from './decisions.ts'
import { expectCanContinue } from './gates.ts'
import type { DeploymentState } from './state.ts'

/** Result of applying a decision to a deployment; without `deployment` the deployment does not change. */
export type DecisionResult<Outcome> = { outcome: Outcome; deployment?: DeploymentState }

/** Author of a decision, and the action that it takes. */
export type Decider = { author: Author } & (
  | { action: Exclude<DecisionAction, 'deployments.continue'> }
  /** Gates can deny this action. */
  | { action: 'deployments.continue'; clock: () => Date }
)

/**
 * Maximum number of retries after concurrent writes: far more than a row can have concurrent writers, so that only a
 * defect reaches it.
 */
const maxTries = 20

/**
 * Applies a decision to the current row, and again to the newer row after a concurrent write. Returns undefined if the
 * organization has no such deployment.
 */
export async function decide<Outcome>(
  db: Db,
  decider: Decider,
  id: string,
  decision: (deployment: DeploymentState) => DecisionResult<Outcome>,
): Promise<{ row: DeploymentRow; outcome: Outcome } | undefined> {
  const { author, action } = decider
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await findForDecision(db, author.organizationId, id)
    if (!found) return undefined
    const { row, isRuled } = found
    const { outcome, deployment } = decision(row)
    if (!deployment) return { row, outcome }
    const saved = await db.transaction(async (tx) => {
      if (isRuled && 'clock' in decider) await expectCanContinue(tx, row, decider.clock())
      const saved = await saveState(tx, row, deployment)
      if (saved) await recordChange(tx, author, decisionMade(action, row, saved))
      return saved
    })
    if (saved) return { row: saved, outcome }
  }
  throw new Error(`deployment ${id} changed ${maxTries} times while a decision was to be written`)
}
