import { type ApprovalRule, failures, type InPlaceOf, type PrincipalType } from '@sluice/contract'
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

/** Who set something off: by the id, or by the name where no id is known. */
export type Starter = { id: string | null; name: string | undefined }

/** What is about to be done, where, and who asked for it. */
export type Guarded = {
  /** A step that applies a plan and asks by its own configuration is both. */
  what: readonly ApprovalRule['guards'][number][]
  /** A step may let others go on in several. */
  places: readonly Scope[]
  isRollback: boolean
  starter: Starter
  /** What git calls who wrote the commit that led to it: by email and by name. Empty where nobody knows. */
  authors: readonly string[]
}

/** A place among those who decide, and the teams that it counts for. */
type Seat = { id: string; name: string; teamIds: readonly string[] }

/** Somebody who decides, in which teams they are now, and in whose place they decide beside their own. */
export type Person = Seat & { type: PrincipalType; onBehalfOf: readonly Seat[] }

/** Why an approval of somebody does not count for a rule. */
export type NotCounted = 'STARTER' | 'AUTHOR' | 'SERVICE_ACCOUNT' | 'NOT_IN_TEAM'

/** The rules that guard something: each of them asks for approvals of its own. */
export const guarding = <R extends Rule>(rules: readonly R[], { what, places, isRollback }: Guarded): R[] =>
  rules.filter(
    (rule) =>
      rule.guards.some((one) => what.includes(one)) &&
      (!isRollback || rule.rollbacks) &&
      places.some((place) => covers(rule, place)),
  )

/** Why somebody's approval does not count for a rule; undefined where it does. */
export function whyNotCounted(
  rule: Rule,
  person: Person,
  of: Pick<Guarded, 'starter' | 'authors'>,
): NotCounted | undefined {
  if (person.type === 'SERVICE_ACCOUNT' && !rule.serviceAccounts) return 'SERVICE_ACCOUNT'
  return partIn(rule, person, of) ?? (seatsOf(rule, person, of).length > 0 ? undefined : 'NOT_IN_TEAM')
}

/** What somebody has to do with it that keeps them from deciding by a rule. */
function partIn(
  rule: Rule,
  seat: Seat,
  { starter, authors }: Pick<Guarded, 'starter' | 'authors'>,
): NotCounted | undefined {
  if (rule.excludeStarter && isStarter(seat, starter)) return 'STARTER'
  return rule.excludeAuthor && isAuthor(seat, authors) ? 'AUTHOR' : undefined
}

/**
 * The seats that somebody may decide in: their own, else of those in whose place they decide. Nobody gets past what
 * keeps them out by having another decide for them.
 */
function seatsOf(rule: Rule, person: Person, of: Pick<Guarded, 'starter' | 'authors'>): readonly Seat[] {
  const isAsked = ({ teamIds }: Seat) => rule.teamIds.length === 0 || rule.teamIds.some((id) => teamIds.includes(id))
  if (isAsked(person)) return [person]
  return person.onBehalfOf.filter((seat) => isAsked(seat) && partIn(rule, seat, of) === undefined)
}

/** In whose place somebody decides by rules that do not ask them; null where their own is enough for each. */
export function inWhosePlace(
  rules: readonly Rule[],
  person: Person,
  of: Pick<Guarded, 'starter' | 'authors'>,
): InPlaceOf | null {
  const counting = rules.filter((rule) => whyNotCounted(rule, person, of) === undefined)
  const seats = counting.flatMap((rule) => seatsOf(rule, person, of)).filter(({ id }) => id !== person.id)
  const others = [...new Map(seats.map(({ id, name }) => [id, { id, name }])).values()]
  return others.length > 0 ? others : null
}

/** How many seats are decided in: nobody takes two, and in one that is taken nobody counts once more. */
function seatsTaken(rule: Rule, people: readonly Person[], of: Pick<Guarded, 'starter' | 'authors'>): number {
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

/** People are called by their email, of which git keeps the case. */
const isAuthor = ({ name }: Seat, authors: readonly string[]): boolean =>
  authors.some((author) => author.toLowerCase() === name.toLowerCase())

/** What a rule asks for, and how much of it there is. */
export type Demand<R extends Rule = Rule> = {
  rule: R
  given: number
  isMet: boolean
  /** When what waits is given up; undefined where it waits on, or was not asked about yet. */
  expiresAt: Date | undefined
}

/** What the rules that guard something ask for, of which some have approved. Each person counts once. */
export function demandsOf<R extends Rule>(
  rules: readonly R[],
  guarded: Guarded,
  approvedBy: readonly Person[],
  askedAt: Date | undefined,
): Demand<R>[] {
  return guarding(rules, guarded).map((rule) => {
    const counted = approvedBy.filter((person) => whyNotCounted(rule, person, guarded) === undefined)
    const given = seatsTaken(rule, counted, guarded)
    return { rule, given, isMet: given >= rule.requiredApprovals, expiresAt: expiryOf(rule, askedAt) }
  })
}

const expiryOf = ({ expiresAfterMinutes }: Rule, askedAt: Date | undefined): Date | undefined =>
  expiresAfterMinutes === null || askedAt === undefined
    ? undefined
    : new Date(askedAt.getTime() + expiresAfterMinutes * 60_000)

/** What comes of demands at a time: it may start, it waits for those that are open, or it waited too long for one. */
export type Outcome<D extends Demand = Demand> =
  | { outcome: 'free' }
  | { outcome: 'waits'; open: readonly [D, ...D[]]; until: Date | undefined }
  | { outcome: 'expired'; demand: D }

/** What is enforced decides; what is met never expires. */
export function outcomeOf<D extends Demand>(demands: readonly D[], now: Date): Outcome<D> {
  const [first, ...others] = demands.filter(({ rule, isMet }) => rule.mode === 'ENFORCE' && !isMet)
  if (!first) return { outcome: 'free' }
  const open = [first, ...others] as const
  const until = open.map(({ expiresAt }) => expiresAt).filter((at) => at !== undefined)
  const [soonest] = until.toSorted((a, b) => a.getTime() - b.getTime())
  const expired = open.find(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
  return expired ? { outcome: 'expired', demand: expired } : { outcome: 'waits', open, until: soonest }
}

/** What rules ask for before something may proceed, and the names of the teams that they ask. */
export type Asked = { demands: readonly Demand[]; names: TeamNames }

/** What is guarded waits for approvals, and is cancelled if they are not given in time. */
export const approvalGate = (asked: Asked): LoadedGate => ({
  blocker: (_, now) => missingApprovals(asked, now),
  warnings: () => asked.demands.filter(({ rule, isMet }) => rule.mode === 'WARN' && !isMet).map(warningOf),
})

const warningOf = ({ rule: { id, name, requiredApprovals }, given }: Demand): Warning => ({
  rules: 'approval-rules',
  resourceType: 'approval-rule',
  resourceId: id,
  details: { name, requiredApprovals, given },
})

/** Returns which approvals are missing, or undefined if none is. */
export function missingApprovals({ demands, names }: Asked, now: Date): Blocker | undefined {
  const result = outcomeOf(demands, now)
  if (result.outcome === 'free') return undefined
  if (result.outcome === 'expired') {
    const message = `It was not approved in time: ${inWords(result.demand, names)}.`
    const description =
      'Deploy it again, and ask those who may approve it; GET /approval-rules shows what is asked for.'
    const error = { code: failures.releaseNotApproved.code, message, description }
    return { decision: 'cancel', gate: 'APPROVAL_RULE', message, error }
  }
  const message = result.open.map((demand) => inWords(demand, names)).join('; and for ')
  return { decision: 'requireApproval', gate: 'APPROVAL_RULE', message, until: result.until }
}

/** Why nobody's rule counts somebody; undefined where one that is enforced does. */
export function whyNobodyCounts(rules: readonly Rule[], person: Person, guarded: Guarded): NotCounted | undefined {
  const reasons = rules.filter(({ mode }) => mode === 'ENFORCE').map((rule) => whyNotCounted(rule, person, guarded))
  return reasons.includes(undefined) ? undefined : reasons[0]
}

/** The same for people. */
export const reasonsInWords = {
  STARTER: 'You started it, and the rule asks others.',
  AUTHOR: 'You wrote the commit, and the rule asks others.',
  SERVICE_ACCOUNT: 'The rule counts people, not service accounts.',
  NOT_IN_TEAM: 'You are in none of the teams that the rule asks.',
} as const satisfies Record<NotCounted, string>

/** What people call teams, by their ids. */
export type TeamNames = ReadonlyMap<string, string>

/** What people read of a demand: how many there are of how many, whose, and until when. */
export function inWords({ rule, given, expiresAt }: Demand, names: TeamNames): string {
  const until = expiresAt ? `, until ${expiresAt.toISOString()}` : ''
  return `${given} of ${rule.requiredApprovals} by the rule “${rule.name}”, of ${whoInWords(rule, names)}${until}`
}

function whoInWords({ teamIds, excludeStarter, excludeAuthor }: Rule, names: TeamNames): string {
  const who = teamsInWords({ teamIds }, names)
  const others = [...(excludeStarter ? ['who started it'] : []), ...(excludeAuthor ? ['who wrote the commit'] : [])]
  return others.length > 0 ? `${who} but not of ${others.join(' or ')}` : who
}

/** Whom a rule asks, for people. */
export function teamsInWords({ teamIds }: Pick<Rule, 'teamIds'>, names: TeamNames): string {
  const teams = teamIds.map((id) => names.get(id) ?? 'a team that is gone').join(' or ')
  return teams === '' ? 'whoever may approve there' : teams
}
