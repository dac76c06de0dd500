import type { ApprovalDemand, PrincipalType } from '@sluice/contract'
import { presentMembers } from '../../identity/teams/members.ts'
import { namesOfTeams } from '../../identity/teams/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { type Demand, demandsOf, type Guarded, guarding, type Rule, type TeamNames } from './machine.ts'
import { peopleDeciding } from './person.ts'

/** What rules ask for before something may go on, and what people call the teams that they name. */
export type Asked = { demands: Demand[]; names: TeamNames }

/** That somebody approved. */
type Given = { actorType: PrincipalType; actorId: string; actorName: string; createdAt: Date }

type Question = {
  organizationId: string
  rules: readonly Rule[]
  guarded: Guarded
  /** Who has approved it; asked only where a rule guards it. */
  approvals: () => Promise<readonly Given[]>
  askedAt: Date | undefined
}

/** What rules ask for, by who has approved, is still a member, and in which teams those are now. */
export async function demandsWith(
  tx: Db,
  { organizationId, rules, guarded, approvals, askedAt }: Question,
): Promise<Asked> {
  const found = guarding(rules, guarded)
  if (found.length === 0) return { demands: [], names: new Map() }
  const all = await approvals()
  const members = await presentMembers(
    tx,
    organizationId,
    all.map(({ actorId }) => actorId),
  )
  const given = all.filter(({ actorId }) => members.has(actorId))
  const people = await peopleDeciding(
    tx,
    organizationId,
    given.map(({ actorType: type, actorId: id, actorName: name, createdAt: at }) => ({ type, id, name, at })),
  )
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
    notAuthor: rule.notAuthor,
    serviceAccounts: rule.serviceAccounts,
    expiresAt: expiresAt?.toISOString(),
  })
