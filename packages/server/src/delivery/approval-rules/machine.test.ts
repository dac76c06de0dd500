import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  demandsOf,
  type Guarded,
  guarding,
  inWords,
  outcomeOf,
  type Person,
  type Rule,
  whyNobodyCounts,
  whyNotCounted,
} from './machine.ts'

const now = new Date('2026-11-25T12:00:00Z')
const place = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }
const nobody = { id: null, name: undefined }

const rule = (of: Partial<Rule> = {}): Rule => ({
  id: 'apr_1',
  name: 'Production',
  reason: null,
  requiredApprovals: 1,
  teamIds: [],
  notStarter: false,
  serviceAccounts: false,
  expiresAfterMinutes: null,
  rollbacks: false,
  guards: ['DEPLOYMENTS'],
  mode: 'ENFORCE',
  ...of,
})
const guarded = (of: Partial<Guarded> = {}): Guarded => ({
  what: 'DEPLOYMENTS',
  places: [place],
  isRollback: false,
  starter: nobody,
  ...of,
})
const person = (id: string, of: Partial<Person> = {}): Person => ({
  type: 'MEMBERSHIP',
  id,
  name: `${id}@example.com`,
  teamIds: [],
  ...of,
})

describe('a rule', () => {
  test.each([
    [rule(), true],
    [rule({ projectId: 'prj_1' }), true],
    [rule({ projectId: 'prj_1', environmentId: 'env_1' }), true],
    [rule({ projectId: 'prj_1', environmentId: 'env_2' }), false],
    [rule({ ...place, moduleInstanceId: 'mi_2' }), false],
  ])('guards what is in its place: %o', (one, isGuarded) => {
    expect(guarding([one], guarded())).toEqual(isGuarded ? [one] : [])
  })

  test('guards rollbacks only where it says so', () => {
    const back = guarded({ isRollback: true })
    expect(guarding([rule()], back)).toEqual([])
    expect(guarding([rule({ rollbacks: true })], back)).toHaveLength(1)
  })

  test('says whom it does not count, and why', () => {
    const ann = person('mem_ann', { teamIds: ['team_ops'] })
    const robot = person('sa_ci', { type: 'SERVICE_ACCOUNT', teamIds: ['team_ops'] })
    const ofAnn = guarded({ starter: { id: 'mem_ann', name: 'somebody' } })
    expect(whyNotCounted(rule(), ann, ofAnn)).toBeUndefined()
    expect(whyNotCounted(rule({ notStarter: true }), ann, ofAnn)).toBe('STARTER')
    // Where no id is known, as of a push, it is whoever is called so.
    expect(whyNotCounted(rule({ notStarter: true }), ann, guarded({ starter: { id: null, name: ann.name } }))).toBe(
      'STARTER',
    )
    expect(whyNotCounted(rule({ notStarter: true }), ann, guarded())).toBeUndefined()
    expect(whyNotCounted(rule(), robot, guarded())).toBe('SERVICE_ACCOUNT')
    expect(whyNotCounted(rule({ serviceAccounts: true }), robot, guarded())).toBeUndefined()
    expect(whyNotCounted(rule({ teamIds: ['team_dev', 'team_ops'] }), ann, guarded())).toBeUndefined()
    expect(whyNotCounted(rule({ teamIds: ['team_dev'] }), ann, guarded())).toBe('NOT_IN_TEAM')
  })

  test('lets somebody decide whom one of those that are enforced counts', () => {
    const ann = person('mem_ann', { teamIds: ['team_ops'] })
    const strict = rule({ teamIds: ['team_dev'] })
    expect(whyNobodyCounts([strict], ann, guarded())).toBe('NOT_IN_TEAM')
    expect(whyNobodyCounts([strict, rule()], ann, guarded())).toBeUndefined()
    expect(whyNobodyCounts([strict, rule({ mode: 'WARN' })], ann, guarded())).toBe('NOT_IN_TEAM')
  })

  test('is told with how many there are of how many, whose, and until when', () => {
    const one = rule({ requiredApprovals: 2, teamIds: ['team_a', 'team_b'], notStarter: true, expiresAfterMinutes: 5 })
    const [demand] = demandsOf([one], guarded(), [person('mem_ann', { teamIds: ['team_a'] })], now)
    const names = new Map([['team_a', 'Ops']])
    expect(demand && inWords(demand, names)).toBe(
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
  }),
  { selector: ({ id }) => id },
)
const rules = fc.array(
  fc.record({
    requiredApprovals: fc.integer({ min: 1, max: 4 }),
    teamIds: fc.subarray([...teams]),
    notStarter: fc.boolean(),
    serviceAccounts: fc.boolean(),
    expiresAfterMinutes: fc.option(fc.integer({ min: 1, max: 60 })),
    mode: fc.constantFrom('ENFORCE' as const, 'WARN' as const),
  }),
  { maxLength: 4 },
)
const starter = fc.record({ id: fc.option(fc.constantFrom(...ids)), name: fc.constantFrom(...ids) })
const minutes = fc.integer({ min: 0, max: 90 })
const later = (by: number) => new Date(now.getTime() + by * 60_000)

describe('whatever the rules and whoever approves', () => {
  const given = fc.record({ rules: rules.map((all) => all.map((of) => rule(of))), people, starter, minutes })

  test('it is free when, and only when, each rule that is enforced counts as many as it asks for', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter, minutes }) => {
        const demands = demandsOf(rules, guarded({ starter }), people, now)
        const isMet = ({ requiredApprovals, teamIds, notStarter, serviceAccounts }: Rule) => {
          const counted = people
            .filter(({ type }) => serviceAccounts || type === 'MEMBERSHIP')
            .filter(({ teamIds: own }) => teamIds.length === 0 || own.some((id) => teamIds.includes(id)))
            .filter(({ id, name }) => !notStarter || (starter.id === null ? name !== starter.name : id !== starter.id))
          return counted.length >= requiredApprovals
        }
        const isFree = rules.filter(({ mode }) => mode === 'ENFORCE').every(isMet)
        expect(outcomeOf(demands, later(minutes)).outcome === 'free').toBe(isFree)
      }),
    )
  })

  test('one more approval never asks for more, and one that is taken back never for less', () => {
    fc.assert(
      fc.property(given, fc.constantFrom(...ids), ({ rules, people, starter, minutes }, leaving) => {
        const at = later(minutes)
        const before = outcomeOf(demandsOf(rules, guarded({ starter }), people, now), at)
        const left = people.filter(({ id }) => id !== leaving)
        const after = outcomeOf(demandsOf(rules, guarded({ starter }), left, now), at)
        if (after.outcome === 'free') expect(before.outcome).toBe('free')
        if (before.outcome !== 'free') expect(after.outcome).not.toBe('free')
      }),
    )
  })

  test('who approves twice counts once', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter }) => {
        const once = demandsOf(rules, guarded({ starter }), people, now)
        expect(demandsOf(rules, guarded({ starter }), [...people, ...people], now)).toEqual(once)
      }),
    )
  })

  test('it ends once it waited for as long as the shortest open rule says, and not before', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter, minutes }) => {
        const demands = demandsOf(rules, guarded({ starter }), people, now)
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

  test('it does not end by the clock before it was asked about', () => {
    fc.assert(
      fc.property(given, ({ rules, people, starter, minutes }) => {
        const demands = demandsOf(rules, guarded({ starter }), people, undefined)
        expect(outcomeOf(demands, later(minutes)).outcome).not.toBe('expired')
      }),
    )
  })
})
