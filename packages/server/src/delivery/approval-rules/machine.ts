import type { ApprovalRule, PrincipalType } from '@sluice/contract'
import { covers, type Place } from '../freezes/machine.ts'
import type { ApprovalRuleRow } from './tables.ts'

export type Rule = Pick<
  ApprovalRuleRow,
  | 'id'
  | 'name'
  | 'reason'
  | 'requiredApprovals'
  | 'teamIds'
  | 'notStarter'
  | 'serviceAccounts'
  | 'expiresAfterMinutes'
  | 'rollbacks'
  | 'guards'
  | 'mode'
> &
  Place

/** Who set something off: by the id, or by the name where no id is known. */
export type Starter = { id: string | null; name: string | undefined }

/** What is about to be done, where, and who asked for it. */
export type Guarded = {
  what: ApprovalRule['guards'][number]
  /** A step may let others go on in several. */
  places: readonly Place[]
  isRollback: boolean
  starter: Starter
}

/** Somebody who decides, and in which teams they are now. */
export type Person = { type: PrincipalType; id: string; name: string; teamIds: readonly string[] }

/** Why an approval of somebody does not count for a rule. */
export type NotCounted = 'STARTER' | 'SERVICE_ACCOUNT' | 'NOT_IN_TEAM'

/** The rules that guard something: each of them asks for approvals of its own. */
export const guarding = <R extends Rule>(rules: readonly R[], { what, places, isRollback }: Guarded): R[] =>
  rules.filter(
    (rule) =>
      rule.guards.includes(what) && (!isRollback || rule.rollbacks) && places.some((place) => covers(rule, place)),
  )

/** Why somebody's approval does not count for a rule; undefined where it does. */
export function whyNotCounted(
  rule: Rule,
  person: Person,
  { starter }: Pick<Guarded, 'starter'>,
): NotCounted | undefined {
  if (person.type === 'SERVICE_ACCOUNT' && !rule.serviceAccounts) return 'SERVICE_ACCOUNT'
  if (rule.notStarter && isStarter(person, starter)) return 'STARTER'
  if (rule.teamIds.length > 0 && !rule.teamIds.some((id) => person.teamIds.includes(id))) return 'NOT_IN_TEAM'
  return undefined
}

const isStarter = ({ id, name }: Person, starter: Starter): boolean =>
  starter.id === null ? name === starter.name : id === starter.id

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
    const given = new Set(counted.map(({ id }) => id)).size
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

/** Why nobody's rule counts somebody; undefined where one that is enforced does. */
export function whyNobodyCounts(rules: readonly Rule[], person: Person, guarded: Guarded): NotCounted | undefined {
  const reasons = rules.filter(({ mode }) => mode === 'ENFORCE').map((rule) => whyNotCounted(rule, person, guarded))
  return reasons.includes(undefined) ? undefined : reasons[0]
}

/** The same for people. */
export const reasonsInWords = {
  STARTER: 'You started it, and the rule asks others.',
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

function whoInWords({ teamIds, notStarter }: Rule, names: TeamNames): string {
  const teams = teamIds.map((id) => names.get(id) ?? 'a team that is gone').join(' or ')
  const who = teams === '' ? 'whoever may approve there' : teams
  return notStarter ? `${who} but not of who started it` : who
}
