import { expect, test } from 'vitest'
import { afterCheck, type ConnectionState, checkEveryMs } from './connection-state.ts'

const now = new Date('2026-11-23T12:00:00Z')
const well: ConnectionState & { cloudArn: string } = {
  status: 'CONNECTED',
  refusals: 0,
  error: null,
  checkAt: now,
  roleVersion: '1',
  cfnStackId: 'a stack',
  cloudArn: 'arn:aws:iam::123456789012:role/sluice',
}
const closed = { verdict: 'refused', reason: 'AccessDenied', message: 'no' } as const
const regionOff = { verdict: 'refused', reason: 'RegionDisabledException', message: 'Region eu-south-1 …' } as const
const inMinutes = ({ checkAt }: ConnectionState) => (checkAt.getTime() - now.getTime()) / 60_000

test('one denial changes nothing; the second disconnects the account, and one success reconnects it', () => {
  const once = afterCheck(well, closed, now, 1)
  expect(once).toMatchObject({ status: 'CONNECTED', refusals: 1, roleVersion: '1' })
  expect(once.error?.message).toContain('can no longer be assumed')
  const twice = afterCheck({ ...well, ...once }, closed, now, 1)
  expect(twice).toMatchObject({ status: 'DISCONNECTED', refusals: 2, cfnStackId: 'a stack' })
  const open = afterCheck({ ...well, ...twice }, { verdict: 'open', tags: { 'sluice:role-version': '7' } }, now, 1)
  expect(open).toMatchObject({ status: 'CONNECTED', refusals: 0, error: null, roleVersion: '7', cfnStackId: null })
})

test('any failure other than denied access is an error with the message of the cloud or about the region', () => {
  const before = { ...well, refusals: 1 }
  expect(afterCheck(before, regionOff, now, 1)).toMatchObject({
    status: 'ERROR',
    error: { message: 'Region eu-south-1 …' },
  })
  expect(afterCheck(before, { ...closed, reason: 'InvalidClientTokenId' }, now, 1)).toMatchObject({ status: 'ERROR' })
})

test('an unreachable cloud does not change the account', () => {
  const shut = { ...well, status: 'DISCONNECTED', refusals: 5 } as const
  for (const before of [well, shut]) {
    const after = afterCheck(before, { verdict: 'trouble', message: 'Throttling' }, now, 1)
    expect(after).toMatchObject({ status: before.status, refusals: before.refusals, roleVersion: '1' })
    expect(after.error?.message).toContain('Throttling')
  }
})

test('healthy connections are checked every ten minutes and others sooner, at random offsets', () => {
  expect(inMinutes(afterCheck(well, { verdict: 'open' }, now, 1))).toBe(checkEveryMs / 60_000)
  expect(inMinutes(afterCheck(well, { verdict: 'open' }, now, 0))).toBe(8)
  expect([0, 1, 5, 50].map((refusals) => inMinutes(afterCheck({ ...well, refusals }, closed, now, 1)))).toEqual([
    1, 2, 6, 10,
  ])
})
