import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../testing/database.ts'
import { expectKnownKey } from './known-key.ts'

test('a database goes on with the key that it was first started with, and with no other', async () => {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  await Promise.all([expectKnownKey(db, 'first'), expectKnownKey(db, 'first')])
  await expectKnownKey(db, 'first')
  await expect(expectKnownKey(db, 'another')).rejects.toThrow('Start with SLUICE_ENCRYPTION_KEY')
  await expectKnownKey(db, 'first')
})
