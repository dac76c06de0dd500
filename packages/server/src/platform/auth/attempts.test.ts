import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { ApiError } from '../http/api-error.ts'
import { createAttempts } from './attempts.ts'

const limits = {
  passwordsByAccount: { failures: 3, withinSeconds: 60 },
  passwordsByAccountAnywhere: { failures: 6, withinSeconds: 60 },
  passwordsByAddress: { failures: 5, withinSeconds: 60 },
  credentialsByAddress: { failures: 2, withinSeconds: 60 },
}
const wrong = async () => undefined
const right = async () => true

test('an account accepts a limited number of wrong passwords from an address, and then not even the right one from there', async () => {
  const { atPassword } = createAttempts(limits)
  for (let round = 0; round < 3; round += 1) await atPassword({ address: '10.0.0.1', account: 'ada' }, wrong)
  const refused = atPassword({ address: '10.0.0.1', account: 'ada' }, right)
  await expect(refused).rejects.toMatchObject({
    key: 'rateLimited',
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
  })
  expect(await atPassword({ address: '10.0.0.1', account: 'bob' }, right)).toBe(true)
})

test('the right password from another address is accepted, however often others guessed', async () => {
  const { atPassword } = createAttempts(limits)
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']) {
    for (let round = 0; round < 3; round += 1) await atPassword({ address, account: 'ada' }, wrong)
  }
  expect(await atPassword({ address: '10.0.0.9', account: 'ada' }, right)).toBe(true)
})

test('guesses at an account from many addresses count together, except those from networks that it knows', async () => {
  const { atPassword } = createAttempts(limits)
  const listKnownAddresses = async () => ['10.0.0.9', '2001:db8:0:1::1']
  const from = (address: string) => ({ address, account: 'ada', listKnownAddresses })
  for (let last = 1; last <= 6; last += 1) await atPassword(from(`10.0.1.${last}`), wrong)
  await expect(atPassword(from('10.0.1.7'), right)).rejects.toMatchObject({ key: 'rateLimited' })
  expect(await atPassword(from('10.0.0.9'), right)).toBe(true)
  expect(await atPassword(from('2001:db8:0:1::7'), right)).toBe(true)
  expect(await atPassword({ ...from('10.0.1.7'), account: 'bob' }, right)).toBe(true)
})

test('an address has a limited number of wrong passwords for all accounts together', async () => {
  const { atPassword } = createAttempts(limits)
  for (const account of ['a', 'b', 'c', 'd', 'e']) await atPassword({ address: '10.0.0.1', account }, wrong)
  await expect(atPassword({ address: '10.0.0.1', account: 'f' }, right)).rejects.toBeInstanceOf(ApiError)
  expect(await atPassword({ address: '10.0.0.2', account: 'f' }, right)).toBe(true)
})

test('right passwords do not count, and reset the count of the account', async () => {
  const { atPassword } = createAttempts(limits)
  const by = { address: '10.0.0.1', account: 'ada' }
  for (let round = 0; round < 20; round += 1) expect(await atPassword(by, right)).toBe(true)
  await atPassword(by, wrong)
  await atPassword(by, wrong)
  await atPassword(by, right)
  await atPassword(by, wrong)
  expect(await atPassword(by, right)).toBe(true)
})

test('concurrent attempts are counted before they are made', async () => {
  const { atPassword } = createAttempts(limits)
  let made = 0
  const attempt = async () => {
    made += 1
    return undefined
  }
  const all = Array.from({ length: 50 }, () => atPassword({ address: '10.0.0.1', account: 'ada' }, attempt))
  await Promise.allSettled(all)
  expect(made).toBe(3)
})

test(
  'addresses of one network count as one',
  everyCase(
    [
      ['10.0.0.1', '10.0.0.2', false],
      ['::ffff:10.0.0.1', '10.0.0.1', true],
      ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', true],
      ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
      ['2001:db8::1', '2001:db8:0:0:5::', true],
      ['::1', '2001:db8::1', false],
    ],
    async (one, other, areOne) => {
      const { badCredential } = createAttempts(limits)
      await badCredential(one)
      await badCredential(one)
      await expect(
        badCredential(other).then(
          () => false,
          () => true,
        ),
      ).resolves.toBe(areOne)
    },
  ),
)
