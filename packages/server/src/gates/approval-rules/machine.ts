import { type ApprovalRule, type Delegators, failures, type PrincipalType } from '@sluice/contract'
import type { Blocker, LoadedGate, Warning } from '../evaluate.ts'
import { covers, type Scope } from '../scope.ts'
import type { ApprovalRuleRow } from './tables.ts'

export type Rule = Pick<
  ApprovalRuleRow,
  | 'id'
  | 'name'
  | 'reason'
  | 'requiredApprovals'
  | 'teamIds'
  | 'excludeStarter'
  | 'excludeAuthor'
  | 'serviceAccounts'
  | 'expiresAfterMinutes'
  | 'rollbacks'
  | 'guards'
  | 'mode'
> &
  Scope

/** User or service account that started an action, identified by id, or by name if there is no id. */
export type Starter = { id: string | null; name: string | undefined }

/** Action that approval rules may guard, with its scopes and starter. */
export type Guarded = {
  /** Types of change; a step that applies a plan and requires approval by its own config has both. */
  what: readonly ApprovalRule['guards'][number][]
  /** Scopes of the action; a step can let others continue in several scopes. */
  places: readonly Scope[]
  isRollback: boolean
  starter: Starter
  /** Emails and names of the commit's authors in Git; empty if unknown. */
  authors: readonly string[]
}

/** Approver whose place can be taken, and the approver's teams. */
type Seat = { id: string; name: string; teamIds: readonly string[] }

/** User who decides, with current teams, and the approvers whom the user substitutes for. */
export type Person = Seat & { type: PrincipalType; onBehalfOf: readonly Seat[] }

/** Reason why a user's approval does not count for a rule. */
export type IneligibilityReason = 'STARTER' | 'AUTHOR' | 'SERVICE_ACCOUNT' | 'NOT_IN_TEAM'

/** Returns the rules that guard an action. Each requires its own approvals. */
export const rulesFor = <R extends Rule>(rules: readonly R[], { what, places, isRollback }: Guarded): R[] =>
  rules.filter(
    (rule) =>
      rule.guards.some((one) => what.includes(one)) &&
      (!isRollback || rule.rollbacks) &&
      places.some((place) => covers(rule, place)),
  )

/** Returns why a user's approval does not count for a rule; undefined if it counts. */
export function findIneligibilityReason(
  rule: Rule,
  person: Person,
  of: Pick<Guarded, 'starter' | 'authors'>,
): IneligibilityReason | undefined {
  if (person.type === 'SERVICE_ACCOUNT' && !rule.serviceAccounts) return 'SERVICE_ACCOUNT'
  return exclusionReason(rule, person, of) ?? (seatsOf(rule, person, of).length > 0 ? undefined : 'NOT_IN_TEAM')
}

/** Returns the role in the action because of which a rule excludes the user. */
function exclusionReason(
  rule: Rule,
  seat: Seat,
  { starter, authors }: Pick<Guarded, 'starter' | 'authors'>,
): IneligibilityReason | undefined {
  if (rule.excludeStarter && isStarter(seat, starter)) return 'STARTER'
  return rule.excludeAuthor && isAuthor(seat, authors) ? 'AUTHOR' : undefined
}

/**
 * Returns the approvers as whom a user can decide: themselves, or otherwise those whom they substitute for. Excluded
 * approvers cannot bypass a rule by a delegate.
 */
function seatsOf(rule: Rule, person: Person, of: Pick<Guarded, 'starter' | 'authors'>): readonly Seat[] {
  const isAsked = ({ teamIds }: Seat) => rule.teamIds.length === 0 || rule.teamIds.some((id) => teamIds.includes(id))
  if (isAsked(person)) return [person]
  return person.onBehalfOf.filter((seat) => isAsked(seat) && exclusionReason(rule, seat, of) === undefined)
}

/**
 * Returns the user on whose behalf this user approves under rules that do not accept this user; null if every rule
 * accepts this user.
 */
export function substitutedApprovers(
  rules: readonly Rule[],
  person: Person,
  of: Pick<Guarded, 'starter' | 'authors'>,
): Delegators | null {
  const counting = rules.filter((rule) => findIneligibilityReason(rule, person, of) === undefined)
  const seats = counting.flatMap((rule) => seatsOf(rule, person, of)).filter(({ id }) => id !== person.id)
  const others = [...new Map(seats.map(({ id, name }) => [id, { id, name }])).values()]
  return others.length > 0 ? others : null
}

/**
 * Counts the approvers who have decided, also through delegates. Each user takes one place, and each place counts once.
 */
function countApprovals(rule: Rule, people: readonly Person[], of: Pick<Guarded, 'starter' | 'authors'>): number {
  const choices = new Map(people.map((person) => [person.id, seatsOf(rule, person, of).map(({ id }) => id)]))
  const isOwn = ([id, [first]]: [string, string[]]) => id === first
  const taken = new Set<string>()
  for (const [, seats] of [...choices].toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))) {
    const free = seats.find((id) => !taken.has(id))
    if (free !== undefined) taken.add(free)
  }
  return taken.size
}

const isStarter = ({ id, name }: Seat, starter: Starter): boolean =>
  starter.id === null ? name === starter.name : id === starter.id

/** Reports whether a user is an author, by email or name. Git preserves the case of emails. */
const isAuthor = ({ name }: Seat, authors: readonly string[]): boolean =>
  authors.some((author) => author.toLowerCase() === name.toLowerCase())

/** Approvals that a rule requires, and those given so far. */
export type RequiredApprovals<R extends Rule = Rule> = {
  rule: R
  given: number
  isMet: boolean
  /** Time at which the wait times out; undefined if it does not, or before the first approval request. */
  expiresAt: Date | undefined
}

/** Returns the approvals that the rules for an action require, and how many of them are given. */
export function requiredApprovalsOf<R extends Rule>(
  rules: readonly R[],
  guarded: Guarded,
  approvedBy: readonly Person[],
  askedAt: Date | undefined,
): RequiredApprovals<R>[] {
  return rulesFor(rules, guarded).map((rule) => {
    const counted = approvedBy.filter((person) => findIneligibilityReason(rule, person, guarded) === undefined)
    const given = countApprovals(rule, counted, guarded)
    return { rule, given, isMet: given >= rule.requiredApprovals, expiresAt: expiryOf(rule, askedAt) }
  })
}

const expiryOf = ({ expiresAfterMinutes }: Rule, askedAt: Date | undefined): Date | undefined =>
  expiresAfterMinutes === null || askedAt === undefined
    ? undefined
    : new Date(askedAt.getTime() + expiresAfterMinutes * 60_000)

/** Result of evaluating the required approvals: free, waiting for the open ones, or expired. */
export type Outcome<D extends RequiredApprovals = RequiredApprovals> =
  | { outcome: 'free' }
  | { outcome: 'waits'; open: readonly [D, ...D[]]; until: Date | undefined }
  | { outcome: 'expired'; demand: D }

/** Evaluates the required approvals. Only enforced rules count, and a met one never expires. */
export function outcomeOf<D extends RequiredApprovals>(demands: readonly D[], now: Date): Outcome<D> {
  const [first, ...others] = demands.filter(({ rule, isMet }) => rule.mode === 'ENFORCE' && !isMet)
  if (!first) return { outcome: 'free' }
  const open = [first, ...others] as const
  const until = open.map(({ expiresAt }) => expiresAt).filter((at) => at !== undefined)
  const [soonest] = until.toSorted((a, b) => a.getTime() - b.getTime())
  const expired = open.find(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
  return expired ? { outcome: 'expired', demand: expired } : { outcome: 'waits', open, until: soonest }
}

/** Required approvals, and the names of the teams that they name. */
export type RequiredApprovalsWithTeams = { demands: readonly RequiredApprovals[]; names: TeamNames }

/** Release gate that waits for approvals, and cancels what is not approved in time. */
export const approvalGate = (asked: RequiredApprovalsWithTeams): LoadedGate => ({
  blocker: (_, now) => missingApprovals(asked, now),
  warnings: () => asked.demands.filter(({ rule, isMet }) => rule.mode === 'WARN' && !isMet).map(warningOf),
})

const warningOf = ({ rule: { id, name, requiredApprovals }, given }: RequiredApprovals): Warning => ({
  rules: 'approval-rules',
  resourceType: 'approval-rule',
  resourceId: id,
  details: { name, requiredApprovals, given },
})

/** Returns which approvals are missing, or undefined if none is. */
export function missingApprovals({ demands, names }: RequiredApprovalsWithTeams, now: Date): Blocker | undefined {
  const result = outcomeOf(demands, now)
  if (result.outcome === 'free') return undefined
  if (result.outcome === 'expired') {
    const message = `It was not approved in time: ${messageFor(result.demand, names)}.`
    const description =
      'Deploy it again, and ask those who may approve it; GET /approval-rules shows what is asked for.'
    const error = { code: failures.releaseNotApproved.code, message, description }
    return { decision: 'cancel', gate: 'APPROVAL_RULE', message, error }
  }
  const message = result.open.map((demand) => messageFor(demand, names)).join('; and for ')
  return { decision: 'requireApproval', gate: 'APPROVAL_RULE', message, until: result.until }
}

/** Returns why a user does not count for any enforced rule; undefined if they count for one. */
export function findIneligibilityReasonForAll(
  rules: readonly Rule[],
  person: Person,
  guarded: Guarded,
): IneligibilityReason | undefined {
  const reasons = rules
    .filter(({ mode }) => mode === 'ENFORCE')
    .map((rule) => findIneligibilityReason(rule, person, guarded))
  return reasons.includes(undefined) ? undefined : reasons[0]
}

/** Messages for these reasons. */
export const reasonMessages = {
  STARTER: 'You started it, and the rule asks others.',
  AUTHOR: 'You wrote the commit, and the rule asks others.',
  SERVICE_ACCOUNT: 'The rule counts people, not service accounts.',
  NOT_IN_TEAM: 'You are in none of the teams that the rule asks.',
} as const satisfies Record<IneligibilityReason, string>

/** Names of teams, by id. */
export type TeamNames = ReadonlyMap<string, string>

/** Returns the message about required approvals: the given and required number, the teams, and the expiry. */
export function messageFor({ rule, given, expiresAt }: RequiredApprovals, names: TeamNames): string {
  const until = expiresAt ? `, until ${expiresAt.toISOString()}` : ''
  return `${given} of ${rule.requiredApprovals} by the rule “${rule.name}”, of ${approversAsText(rule, names)}${until}`
}

function approversAsText({ teamIds, excludeStarter, excludeAuthor }: Rule, names: TeamNames): string {
  const who = teamsAsText({ teamIds }, names)
  const others = [...(excludeStarter ? ['who started it'] : []), ...(excludeAuthor ? ['who wrote the commit'] : [])]
  return others.length > 0 ? `${who} but not of ${others.join(' or ')}` : who
}

/** Returns the names of the teams that a rule names, as text. */
export function teamsAsText({ teamIds }: Pick<Rule, 'teamIds'>, names: TeamNames): string {
  const teams = teamIds.map((id) => names.get(id) ?? 'a team that is gone').join(' or ')
  return teams === '' ? 'users who may approve there' : teams
}
