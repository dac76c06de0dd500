import { expect, test } from 'vitest'
import { auditQuery } from './audit-query.ts'

test('days are in the time zone of the reader, and the last one is complete', () => {
  expect(auditQuery({ from: '2026-03-05', to: '2026-03-05' })).toEqual({
    startTime: new Date(2026, 2, 5).toISOString(),
    endTime: new Date(2026, 2, 6).toISOString(),
  })
})

test('unknown values in an address are ignored', () => {
  expect(auditQuery({ channel: 'PIGEON', actorType: 'NOBODY', from: 'yesterday', action: 'projects.create' })).toEqual({
    action: 'projects.create',
  })
})

test('known values are sent', () => {
  const known = { channel: 'CLI', actorType: 'MEMBERSHIP', actorName: 'ada' } as const
  expect(auditQuery(known)).toEqual(known)
})
