import type { ApprovalRequirement, PrincipalType } from '@sluice/contract'
import { presentMembers } from '../../identity/teams/members.ts'
import { namesOfTeams } from '../../identity/teams/store.ts'
import { present } from '../../platform/present.ts'
import type { Rules } from '../gate.ts'
import { type Guarded, type RequiredApprovalsWithTeams, type Rule, requiredApprovalsOf, rulesFor } from './machine.ts'
import { loadApprovers } from './person.ts'
import { approvalRuleStore } from './store.ts'

/** Approval of a member or service account. */
export type GivenApproval = { actorType: PrincipalType; actorId: string; actorName: string; createdAt: Date }

export type ApprovalQuestion = {
  guarded: Guarded
  /** Approvals that policies require, in the form of rules. */
  ofPolicies: readonly Rule[]
  /** Whether to evaluate only the policies, without the organization's rules. */
  isOnlyPolicies?: boolean
  /** Returns who has approved it; called only if a rule applies. */
  given: () => Promise<readonly GivenApproval[]>
  askedAt: Date | undefined
}

/** Required approvals, and what they are for. */
export type Approvals = RequiredApprovalsWithTeams & Pick<ApprovalQuestion, 'guarded'>

const organizationRules = ({ tx, organizationId, once }: Rules): Promise<Rule[]> =>
  once('approval rules', () => approvalRuleStore.all(tx, organizationId))

/** Returns whether any rule of an organization guards one of these actions, in any scope. */
export const hasRulesFor = async (rules: Rules, what: Rule['guards']): Promise<boolean> =>
  (await organizationRules(rules)).some(({ guards }) => guards.some((one) => what.includes(one)))

/**
 * Returns the approvals that an organization's rules and policies require. Counts the approvers who are still members,
 * with their current teams.
 */
export async function loadApprovals(rules: Rules, question: ApprovalQuestion): Promise<Approvals> {
  const { tx, organizationId } = rules
  const { guarded, ofPolicies, isOnlyPolicies = false, given: readGiven, askedAt } = question
  const ofOrganization = isOnlyPolicies ? [] : await organizationRules(rules)
  const found = rulesFor([...ofOrganization, ...ofPolicies], guarded)
  if (found.length === 0) return { demands: [], names: new Map(), guarded }
  const all = await readGiven()
  const members = await presentMembers(
    tx,
    organizationId,
    all.map(({ actorId }) => actorId),
  )
  const given = all.filter(({ actorId }) => members.has(actorId))
  const people = await loadApprovers(
    tx,
    organizationId,
    given.map(({ actorType: type, actorId: id, actorName: name, createdAt: at }) => ({ type, id, name, at })),
  )
  const names = await namesOfTeams(
    tx,
    organizationId,
    found.flatMap(({ teamIds }) => teamIds),
  )
  return { demands: requiredApprovalsOf(found, guarded, people, askedAt), names, guarded }
}

/** Returns the API representation of the required approvals. */
export const representDemands = ({ demands, names }: RequiredApprovalsWithTeams): ApprovalRequirement[] =>
  demands.map(({ rule, given, isMet, expiresAt }) =>
    present({
      ruleId: rule.id,
      name: rule.name,
      reason: rule.reason ?? undefined,
      mode: rule.mode,
      requiredApprovals: rule.requiredApprovals,
      given,
      isMet,
      teams: rule.teamIds.map((id) => ({ id, name: names.get(id) ?? id })),
      excludeStarter: rule.excludeStarter,
      excludeAuthor: rule.excludeAuthor,
      serviceAccounts: rule.serviceAccounts,
      expiresAt: expiresAt?.toISOString(),
    }),
  )
