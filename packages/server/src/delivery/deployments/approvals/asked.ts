import type { ApprovalDemand } from '@sluice/contract'
import { teamsOfMembers } from '../../../identity/teams/members.ts'
import { namesOfTeams } from '../../../identity/teams/store.ts'
import type { Db } from '../../../platform/db/open.ts'
import { present } from '../../../platform/present.ts'
import {
  type Demand,
  demandsOf,
  type Guarded,
  guarding,
  type Rule,
  type TeamNames,
} from '../../approval-rules/machine.ts'
import { isRollback } from '../store.ts'
import type { DeploymentRow } from '../tables.ts'
import { approvalsOf } from './store.ts'

/** What rules ask for before a deployment may start, and what people call the teams that they name. */
export type Asked = { demands: Demand[]; names: TeamNames }

/** A deployment as rules see it. */
export const guardedOf = (row: DeploymentRow): Guarded => ({
  place: row,
  isRollback: isRollback(row),
  starter: { id: row.triggeredById, name: row.data.triggeredBy },
})

/** When it was first asked about, unless it was not yet. */
export const askedAtOf = ({ data: { approval } }: DeploymentRow): Date | undefined =>
  approval?.askedAt === undefined ? undefined : new Date(approval.askedAt)

/** What the rules of its organization ask of a deployment, by who has approved it and in which teams those are now. */
export async function askedOf(
  tx: Db,
  row: DeploymentRow,
  rules: readonly Rule[],
  askedAt: Date | undefined,
): Promise<Asked> {
  const { organizationId } = row
  const guarded = guardedOf(row)
  const found = guarding(rules, guarded)
  if (found.length === 0) return { demands: [], names: new Map() }
  const approvals = await approvalsOf(tx, row)
  const teams = await teamsOfMembers(
    tx,
    organizationId,
    approvals.map(({ actorId }) => actorId),
  )
  const people = approvals.map(({ actorType: type, actorId: id, actorName: name }) => ({
    ...{ type, id, name },
    teamIds: teams.get(id) ?? [],
  }))
  const names = await namesOfTeams(
    tx,
    organizationId,
    found.flatMap(({ teamIds }) => teamIds),
  )
  return { demands: demandsOf(found, guarded, people, askedAt), names }
}

export const demandToWire = ({ rule, given, isMet, expiresAt }: Demand, names: TeamNames): ApprovalDemand =>
  present({
    ruleId: rule.id,
    name: rule.name,
    reason: rule.reason ?? undefined,
    mode: rule.mode,
    requiredApprovals: rule.requiredApprovals,
    given,
    isMet,
    teams: rule.teamIds.map((id) => ({ id, name: names.get(id) ?? id })),
    notStarter: rule.notStarter,
    serviceAccounts: rule.serviceAccounts,
    expiresAt: expiresAt?.toISOString(),
  })
