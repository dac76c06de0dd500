import {
  type DeliveryAttempt,
  type NotificationType,
  notificationTypes,
  severities,
  severityOf,
} from '@sluice/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import {
  afterAttempt,
  backOffMs,
  channelAfter,
  dueOf,
  type Event,
  type Reminder,
  reminderTime,
  subscribesTo,
} from './machine.ts'

const now = new Date('2026-11-25T12:00:00Z')
const attempt = (status?: number): DeliveryAttempt => ({
  at: now.toISOString(),
  durationMs: 5,
  ...(status === undefined ? { error: 'hooks.example.com cannot be reached' } : { status }),
})
const waitOf = (after: { nextAttemptAt: Date | null }) =>
  after.nextAttemptAt && after.nextAttemptAt.getTime() - now.getTime()

test('a failed delivery is retried after 5 s, 1 min, 5 min, 30 min, 2 h and 8 h, and then fails', () => {
  const waits = [5, 60, 300, 1_800, 7_200, 28_800].map((seconds) => seconds * 1_000)
  const before = (count: number) => ({ attempts: Array.from({ length: count }, () => attempt(500)) })
  for (const [count, wait] of waits.entries()) {
    const after = afterAttempt(before(count), attempt(500), now)
    expect([after.status, waitOf(after), after.attempts.length]).toEqual(['PENDING', wait, count + 1])
  }
  const last = afterAttempt(before(waits.length), attempt(), now)
  expect([last.status, last.nextAttemptAt]).toEqual(['FAILED', null])
})

test('whatever the response, a delivery ends within seven attempts, and only 2xx succeeds', () => {
  const answers = fc.array(fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }), {
    minLength: 7,
    maxLength: 7,
  })
  fc.assert(
    fc.property(answers, (statuses) => {
      let so: ReturnType<typeof afterAttempt> = { status: 'PENDING', attempts: [], nextAttemptAt: now }
      for (const status of statuses) if (so.status === 'PENDING') so = afterAttempt(so, attempt(status), now)
      const isTaken = (status = 0) => status >= 200 && status < 300
      expect(so.status).toBe(statuses.some(isTaken) ? 'DELIVERED' : 'FAILED')
      expect(so.attempts.length).toBeLessThanOrEqual(backOffMs.length + 1)
    }),
  )
})

const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const well = { failingSince: null, brokenSince: null }
const broken = (days: number) => ({ failingSince: daysAgo(days), brokenSince: daysAgo(days) })
const saying = (word: string) => expect.stringContaining(word)

test(
  'a delivery updates the state of its channel',
  everyCase(
    [
      ['the first failure is remembered', {}, 500, 1, { failingSince: now }],
      ['the first of several counts', { failingSince: daysAgo(2) }, undefined, 2, { failingSince: daysAgo(2) }],
      ['three attempts that failed are no alarm', {}, 500, 3, { failingSince: now }],
      ['the fourth is', {}, 500, 4, { failingSince: now, brokenSince: now }],
      ['it is broken since the first alarm', broken(1), 500, 1, broken(1)],
      ['what arrives forgives', broken(6), 204, 5, {}],
      ['410 disables at once', {}, 410, 1, { failingSince: now, brokenSince: now, disabledReason: saying('410') }],
      ['five days disable', broken(5), 302, 1, { ...broken(5), disabledReason: expect.any(String) }],
    ],
    (_, before, status, nth, expected) => {
      expect(channelAfter({ ...well, ...before }, { attempt: attempt(status), nth }, now)).toEqual({
        ...well,
        ...expected,
      })
    },
  ),
)

const event = (more: Partial<Event> = {}): Event => ({
  id: 'dep_1.deployment.failed',
  recordId: 'dep_1',
  projectId: 'prj_1',
  environmentId: 'env_1',
  payload: {
    type: 'deployment.failed',
    timestamp: now.toISOString(),
    data: { organizationId: 'org_1', channelId: 'nch_1', message: 'as good as any' },
  },
  ...more,
})
const all = {
  events: ['deployment.failed'] as NotificationType[],
  minimumSeverity: 'INFO' as const,
  format: 'STANDARD' as const,
  projectId: null,
  environmentIds: [] as string[],
  toldSince: daysAgo(1),
}

test(
  'a channel gets the notifications that it subscribes to',
  everyCase(
    [
      ['everything of its types', {}, {}, true],
      ['nothing of other types', { events: ['deployment.paused' as const] }, {}, false],
      ['what is in its project', { projectId: 'prj_1' }, {}, true],
      ['nothing that is in no project, where it is of one', { projectId: 'prj_1' }, { projectId: null }, false],
      ['nothing of another project', { projectId: 'prj_2' }, {}, false],
      ['what is in its environments', { environmentIds: ['env_0', 'env_1'] }, {}, true],
      ['nothing of another environment', { environmentIds: ['env_0'] }, {}, false],
      [
        'nothing that is in no environment, where it names some',
        { environmentIds: ['env_1'] },
        { environmentId: null },
        false,
      ],
      ['what is in no environment, where it names none', {}, { environmentId: null }, true],
      ['nothing that its form does not have', { format: 'CDEVENTS' as const }, {}, false],
      ['nothing from before it was there', { toldSince: new Date(now.getTime() + 1) }, {}, false],
    ],
    (_, channel, happened, isTold) => {
      expect(subscribesTo({ ...all, ...channel }, event(happened))).toBe(isTold)
    },
  ),
)

test('a channel without a list of events gets all of sufficient severity except the audit log', () => {
  const named = fc.uniqueArray(fc.constantFrom(...notificationTypes))
  const type = fc.constantFrom(...notificationTypes)
  fc.assert(
    fc.property(named, fc.constantFrom(...severities), type, (events, minimumSeverity, happened) => {
      const told = (more: object) => subscribesTo({ ...all, events, minimumSeverity, ...more }, ofType(happened))
      const matters = severities.indexOf(severityOf(happened)) >= severities.indexOf(minimumSeverity)
      const isOfAll = happened !== 'audit.recorded'
      expect(told({})).toBe(matters && (events.includes(happened) || (events.length === 0 && isOfAll)))
      expect(told({ events: [] })).toBe(matters && isOfAll)
    }),
  )
})

test('failures are critical, and successes have the lowest severity', () => {
  const of = (word: string) => notificationTypes.filter((type) => type.endsWith(word)).map(severityOf)
  expect(of('.failed')).toEqual(['CRITICAL', 'CRITICAL'])
  expect(of('.succeeded')).toEqual(['INFO', 'INFO'])
})

const ofType = (type: NotificationType): Event => event({ payload: { ...event().payload, type } })

const hourMs = 3_600_000
const start = Date.UTC(2026, 10, 25)
const moment = fc.integer({ min: 0, max: 20 * 24 * hourMs }).map((ms) => new Date(start + ms))

test('a reminder is due an hour before the timeout, or after nine tenths of the time', () => {
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      const [asked, expires] = one < other ? [one, other] : [other, one]
      const at = reminderTime(asked, expires)
      const leadMs = expires.getTime() - at.getTime()
      const wholeMs = expires.getTime() - asked.getTime()
      expect(at.getTime()).toBeGreaterThanOrEqual(asked.getTime())
      expect(Math.abs(leadMs - (wholeMs > 10 * hourMs ? hourMs : wholeMs / 10))).toBeLessThan(1)
    }),
  )
})

const reminder = (at: Date, expiresAt: Date, index: number): Reminder => ({
  expiresAt,
  event: {
    id: `event_${index}`,
    recordId: 'dep_1',
    projectId: 'prj_1',
    environmentId: null,
    payload: { type: 'deployment.pause_expires_soon', timestamp: at.toISOString() } as Event['payload'],
  },
})

test('each reminder is due once between its time and the timeout, however often it is evaluated', () => {
  const some = fc.array(fc.tuple(moment, fc.integer({ min: 1, max: 48 * hourMs })), { maxLength: 8 })
  fc.assert(
    fc.property(some, (pairs) => {
      const all = pairs.map(([at, ms], index) => reminder(at, new Date(at.getTime() + ms), index))
      const told = new Set<string>()
      let now: Date | undefined = new Date(start - 1)
      while (now) {
        const { due, nextAt } = dueOf(all, now)
        for (const { id } of due) told.add(id)
        if (nextAt) expect(nextAt.getTime()).toBeGreaterThan(now.getTime())
        now = nextAt
      }
      expect(told.size).toBe(all.length)
      const never = dueOf(all, new Date(start + 365 * 24 * hourMs))
      expect(never).toEqual({ due: [], nextAt: undefined })
    }),
  )
})
