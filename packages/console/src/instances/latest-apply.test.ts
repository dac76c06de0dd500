import type { IacPlan } from '@sluice/contract'
import { expect, test } from 'vitest'
import { findLatestApply } from './latest-apply.ts'

const plans = (...statuses: IacPlan['status'][]) =>
  statuses.map((status, index) => ({ id: `iap_${index}`, status }) as IacPlan)
const found = async (newestFirst: Iterable<IacPlan>) => {
  const { applied, failed } = await findLatestApply(newestFirst)
  return [applied?.id, failed?.id]
}

test('the latest apply is the newest applied plan, even if newer plans exist', async () => {
  expect(await found(plans('PLANNED', 'REJECTED', 'STALE', 'APPLIED', 'APPLIED'))).toEqual(['iap_3', undefined])
})

test('a later failed apply is reported, an earlier one is not', async () => {
  expect(await found(plans('PLANNED', 'FAILED', 'FAILED', 'APPLIED', 'FAILED'))).toEqual(['iap_3', 'iap_1'])
  expect(await found(plans('APPLIED', 'FAILED'))).toEqual(['iap_0', undefined])
})

test('without an applied plan, there is no latest apply', async () => {
  expect(await found([])).toEqual([undefined, undefined])
  expect(await found(plans('PLANNED', 'FAILED'))).toEqual([undefined, 'iap_1'])
})

test('pages before the latest apply are not requested', async () => {
  function* listed() {
    yield* plans('APPLIED')
    throw new Error('read on')
  }
  expect(await found(listed())).toEqual(['iap_0', undefined])
})
