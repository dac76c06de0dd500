import { expect, test } from 'vitest'
import { auditQuery } from './audit-query.ts'

test('days are those of the reader, the last one with all its hours', () => {
  expect(auditQuery({ from: '2026-03-05', to: '2026-03-05' })).toEqual({
    startTime: new Date(2026, 2, 5).toISOString(),
    endTime: new Date(2026, 2, 6).toISOString(),
  })
})

test('what nobody knows in an address narrows nothing', () => {
  expect(auditQuery({ channel: 'PIGEON', actorType: 'NOBODY', from: 'yesterday', action: 'projects.create' })).toEqual({
    action: 'projects.create',
  })
})

test('what is known is asked for', () => {
  const known = { channel: 'CLI', actorType: 'MEMBERSHIP', actorName: 'ada' } as const
  expect(auditQuery(known)).toEqual(known)
})
