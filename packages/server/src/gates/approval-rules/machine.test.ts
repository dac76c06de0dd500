import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import {
  findIneligibilityReason,
  findIneligibilityReasonForAll,
  type Guarded,
  messageFor,
  outcomeOf,
  type Person,
  type Rule,
  requiredApprovalsOf,
  rulesFor,
  substitutedApprovers,
} from './machine.ts'

const now = new Date('2026-11-25T12:00:00Z')
const place = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }
const noActor = { id: null, name: undefined }

const rule = (of: Partial<Rule> = {}): Rule => ({
  id: 'apr_1',
  name: 'Production',
  reason: null,
  requiredApprovals: 1,
  teamIds: [],
  excludeStarter: false,
  excludeAuthor: false,
  serviceAccounts: false,
  expiresAfterMinutes: null,
  rollbacks: false,
  guards: ['DEPLOYMENTS'],
  mode: 'ENFORCE',
  ...of,
})
const guarded = (of: Partial<Guarded> = {}): Guarded => ({
  what: ['DEPLOYMENTS'],
  places: [place],
  isRollback: false,
  starter: noActor,
  authors: [],
  ...of,
})
const person = (id: string, of: Partial<Person> = {}): Person => ({
  type: 'MEMBERSHIP',
  id,
  name: `${id}@example.com`,
  teamIds: [],
  onBehalfOf: [],
  ...of,
})

describe('a rule', () => {
  test(
    'it applies to the scopes inside its own',
    everyCase(
      [
        [rule(), true],
        [rule({ projectId: 'prj_1' }), true],
        [rule({ projectId: 'prj_1', environmentId: 'env_1' }), true],
        [rule({ projectId: 'prj_1', environmentId: 'env_2' }), false],
        [rule({ ...place, moduleInstanceId: 'mi_2' }), false],
      ],
      (one, isGuarded) => {
        expect(rulesFor([one], guarded())).toEqual(isGuarded ? [one] : [])
      },
    ),
  )

  test('guards rollbacks only if it includes them', () => {
    const back = guarded({ isRollback: true })
    expect(rulesFor([rule()], back)).toEqual([])
    expect(rulesFor([rule({ rollbacks: true })], back)).toHaveLength(1)
  })

  test('guards the types of change that it names', () => {
    const apply = guarded({ what: ['STEPS', 'APPLIES'] })
    expect(rulesFor([rule()], apply)).toEqual([])
    expect(rulesFor([rule({ guards: ['DESTROYS'] })], apply)).toEqual([])
    expect(rulesFor([rule({ guards: ['DESTROYS', 'APPLIES'] })], apply)).toHaveLength(1)
  })

  test("excludes the commit's author if it says so, regardless of the case of the email", () => {
    const written = guarded({ authors: ['Ann@Example.com', 'Ann'] })
    expect(findIneligibilityReason(rule({ excludeAuthor: true }), person('ann'), written)).toBe('AUTHOR')
    expect(findIneligibilityReason(rule({ excludeAuthor: true }), person('bob'), written)).toBeUndefined()
    expect(findIneligibilityReason(rule(), person('ann'), written)).toBeUndefined()
    expect(findIneligibilityReason(rule({ excludeAuthor: true }), person('ann'), guarded())).toBeUndefined()
  })

  test('says whom it excludes, and why', () => {
    const ann = person('mem_ann', { teamIds: ['team_ops'] })
    const robot = person('sa_ci', { type: 'SERVICE_ACCOUNT', teamIds: ['team_ops'] })
    const ofAnn = guarded({ starter: { id: 'mem_ann', name: 'somebody' } })
    expect(findIneligibilityReason(rule(), ann, ofAnn)).toBeUndefined()
    expect(findIneligibilityReason(rule({ excludeStarter: true }), ann, ofAnn)).toBe('STARTER')
    // Without an id, such as for a push, the starter is identified by name.
    expect(
      findIneligibilityReason(rule({ excludeStarter: true }), ann, guarded({ starter: { id: null, name: ann.name } })),
    ).toBe('STARTER')
    expect(findIneligibilityReason(rule({ excludeStarter: true }), ann, guarded())).toBeUndefined()
    expect(findIneligibilityReason(rule(), robot, guarded())).toBe('SERVICE_ACCOUNT')
    expect(findIneligibilityReason(rule({ serviceAccounts: true }), robot, guarded())).toBeUndefined()
    expect(findIneligibilityReason(rule({ teamIds: ['team_dev', 'team_ops'] }), ann, guarded())).toBeUndefined()
    expect(findIneligibilityReason(rule({ teamIds: ['team_dev'] }), ann, guarded())).toBe('NOT_IN_TEAM')
  })

  test('counts a delegate of an approver, unless the rule excludes one of the two', () => {
    const ops = rule({ teamIds: ['team_ops'], excludeStarter: true, excludeAuthor: true, requiredApprovals: 2 })
    const boss = { id: 'mem_boss', name: 'boss@example.com', teamIds: ['team_ops'] }
    const bob = person('mem_bob', { onBehalfOf: [boss] })
    expect(findIneligibilityReason(ops, person('mem_bob'), guarded())).toBe('NOT_IN_TEAM')
    expect(findIneligibilityReason(ops, bob, guarded())).toBeUndefined()
    expect(findIneligibilityReason(ops, bob, guarded({ starter: { id: 'mem_bob', name: undefined } }))).toBe('STARTER')
    expect(findIneligibilityReason(ops, bob, guarded({ starter: { id: 'mem_boss', name: undefined } }))).toBe(
      'NOT_IN_TEAM',
    )
    expect(findIneligibilityReason(ops, bob, guarded({ authors: ['BOSS@example.com'] }))).toBe('NOT_IN_TEAM')
    // The reason names whom they substitute for, if they do not count themselves.
    const whose = [{ id: boss.id, name: boss.name }]
    expect(substitutedApprovers([ops], bob, guarded())).toEqual(whose)
    expect(substitutedApprovers([rule(), ops], bob, guarded())).toEqual(whose)
    expect(substitutedApprovers([rule()], bob, guarded())).toBeNull()
    expect(
      substitutedApprovers([ops], person('mem_bob', { teamIds: ['team_ops'], onBehalfOf: [boss] }), guarded()),
    ).toBeNull()
    // An approver counts once, even if several members substitute for them.
    const asBoss = { type: 'MEMBERSHIP' as const, onBehalfOf: [], ...boss }
    const given = (...people: Person[]) => requiredApprovalsOf([ops], guarded(), people, now)[0]?.given
    expect([given(bob), given(asBoss, bob), given(bob, asBoss)]).toEqual([1, 1, 1])
    expect(given(bob, person('mem_eve', { onBehalfOf: [boss] }))).toBe(1)
    expect(given(bob, person('mem_eve', { teamIds: ['team_ops'] }))).toBe(2)
  })

  test('lets a user decide who counts for an enforced rule', () => {
    const ann = person('mem_ann', { teamIds: ['team_ops'] })
    const strict = rule({ teamIds: ['team_dev'] })
    expect(findIneligibilityReasonForAll([strict], ann, guarded())).toBe('NOT_IN_TEAM')
    expect(findIneligibilityReasonForAll([strict, rule()], ann, guarded())).toBeUndefined()
    expect(findIneligibilityReasonForAll([strict, rule({ mode: 'WARN' })], ann, guarded())).toBe('NOT_IN_TEAM')
  })

  test('is described with the given and required number of approvals, the teams, and the expiry', () => {
    const one = rule({
      requiredApprovals: 2,
      teamIds: ['team_a', 'team_b'],
      excludeStarter: true,
      expiresAfterMinutes: 5,
    })
    const [demand] = requiredApprovalsOf([one], guarded(), [person('mem_ann', { teamIds: ['team_a'] })], now)
    const names = new Map([['team_a', 'Ops']])
    expect(demand && messageFor(demand, names)).toBe(
      '1 of 2 by the rule “Production”, of Ops or a team that is gone but not of who started it, until 2026-11-25T12:05:00.000Z',
    )
  })
})

const ids = ['a', 'b', 'c', 'd', 'e'] as const
const teams = ['t1', 't2', 't3'] as const
const people = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom('MEMBERSHIP' as const, 'SERVICE_ACCOUNT' as const),
    id: fc.constantFrom(...ids),
    name: fc.constantFrom(...ids),
    teamIds: fc.subarray([...teams]),
    onBehalfOf: fc.constant([]),
  }),
  { selector: ({ id }) => id },
)
const rules = fc.array(
  fc.record({
    requiredApprovals: fc.integer({ min: 1, max: 4 }),
    teamIds: fc.subarray([...teams]),
    excludeStarter: fc.boolean(),
    excludeAuthor: fc.boolean(),
    serviceAccounts: fc.boolean(),
    expiresAfterMinutes: fc.option(fc.integer({ min: 1, max: 60 })),
    mode: fc.constantFrom('ENFORCE' as const, 'WARN' as const),
  }),
  { maxLength: 4 },
)
const starter = fc.record({ id: fc.option(fc.constantFrom(...ids)), name: fc.constantFrom(...ids) })
const authors = fc.subarray([...ids])
const minutes = fc.integer({ min: 0, max: 90 })
const later = (by: number) => new Date(now.getTime() + by * 60_000)

describe('for any rules and any approvers', () => {
  const given = fc.record({ rules: rules.map((all) => all.map((of) => rule(of))), people, starter, minutes })

  test('a subject is free exactly if every enforced rule has the required number of approvals', () => {
    fc.assert(
      fc.property(given, authors, ({ rules, people, starter, minutes }, authors) => {
        const demands = requiredApprovalsOf(rules, guarded({ starter, authors }), people, now)
        const isMet = ({ requiredApprovals, teamIds, excludeStarter, excludeAuthor, serviceAccounts }: Rule) => {
          const counted = people
            .filter(({ type }) => serviceAccounts || type === 'MEMBERSHIP')
            .filter(({ teamIds: own }) => teamIds.length === 0 || own.some((id) => teamIds.includes(id)))
            .filter(
              ({ id, name }) => !excludeStarter || (starter.id === null ? name !== starter.name : id !== starter.id),
            )
            .filter(({ name }) => !excludeAuthor || !authors.includes(name))
          return counted.length >= requiredApprovals
        }
        const isFree = rules.filter(({ mode }) => mode === 'ENFORCE').every(isMet)
        expect(outcomeOf(demands, later(minutes)).outcome === 'free').toBe(isFree)
      }),
    )
  })

  test('the number of counted approvals never exceeds the number of delegates and approvers', () => {
    const seats = fc.uniqueArray(fc.record({ id: fc.constantFrom(...ids), teamIds: fc.subarray([...teams]) }), {
      selector: ({ id }) => id,
    })
    fc.assert(
      fc.property(given, seats, ({ rules, people, starter }, seats) => {
        const onBehalfOf = seats.map((seat) => ({ ...seat, name: seat.id }))
        const delegates = people.map((one) => ({ ...one, onBehalfOf: onBehalfOf.filter(({ id }) => id !== one.id) }))
        const alone = requiredApprovalsOf(rules, guarded({ starter }), people, now)
        for (const [index, { rule, given }] of requiredApprovalsOf(
          rules,
          guarded({ starter }),
          delegates,
          now,
        ).entries()) {
          const asked = onBehalfOf.filter(({ teamIds }) => teamIds.some((id) => rule.teamIds.includes(id)))
          const before = alone[index]?.given ?? 0
          expect(given).toBeGreaterThanOrEqual(before)
          expect(given).toBeLessThanOrEqual(Math.min(people.length, before + asked.length))
        }
      }),
    )
  })

  test('another approval never increases the missing number, and a withdrawal never decreases it', () => {
    fc.assert(
      fc.property(given, fc.constantFrom(...ids), ({ rules, people, starter, minutes }, leaving) => {
        const at = later(minutes)
        const before = outcomeOf(requiredApprovalsOf(rules, guarded({ starter }), people, now), at)
        const left = people.filter(({ id }) => id !== leaving)
        const after = outcomeOf(requiredApprovalsOf(rules, guarded({ starter }), left, now), at)
        if (after.outcome === 'free') expect(before.outcome).toBe('free')
        if (before.outcome !== 'free') expect(after.outcome).not.toBe('free')
      }),
    )
  })

  test('a repeated approval counts once', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter }) => {
        const once = requiredApprovalsOf(rules, guarded({ starter }), people, now)
        expect(requiredApprovalsOf(rules, guarded({ starter }), [...people, ...people], now)).toEqual(once)
      }),
    )
  })

  test('a subject expires exactly when the shortest open rule says so', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter, minutes }) => {
        const demands = requiredApprovalsOf(rules, guarded({ starter }), people, now)
        const open = demands.filter(({ rule, isMet }) => rule.mode === 'ENFORCE' && !isMet)
        const limits = open.map(({ rule }) => rule.expiresAfterMinutes).filter((limit) => limit !== null)
        const result = outcomeOf(demands, later(minutes))
        expect(result.outcome === 'expired').toBe(limits.some((limit) => limit <= minutes))
        if (result.outcome === 'waits') {
          const soonest = limits.length === 0 ? undefined : later(Math.min(...limits))
          expect(result.until).toEqual(soonest)
        }
      }),
    )
  })

  test('a subject does not expire before its first approval request', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter, minutes }) => {
        const demands = requiredApprovalsOf(rules, guarded({ starter }), people, undefined)
        expect(outcomeOf(demands, later(minutes)).outcome).not.toBe('expired')
      }),
    )
  })
})
