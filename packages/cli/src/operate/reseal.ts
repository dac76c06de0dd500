import { type Progress, reseal } from '@sluice/server/interface/sealed-values/reseal'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { expectKnownKeys } from '@sluice/server/platform/crypto/known-keys'
import { withDatabase } from './with-database.ts'

/** Reencrypts all encrypted data with the first key and prints its progress. */
export async function runReseal(sources: ConfigSources): Promise<void> {
  const all = await withDatabase(loadCommandConfig(sources), async ({ db, keys }) => {
    await expectKnownKeys(db, keys)
    return reseal({ db, keys }, (progress) => console.log(lineOf(progress)))
  })
  const sum = (of: (progress: Progress) => number) => all.reduce((total, progress) => total + of(progress), 0)
  const unreadable = sum((progress) => progress.unreadable)
  console.log(`All is sealed with the first key: ${sum(({ done }) => done)} values were encrypted again.`)
  if (unreadable > 0)
    console.log(`${unreadable} were left, which no key opens: their key is lost, or they were changed.`)
  console.log('The other keys may go from SLUICE_ENCRYPTION_KEYS when the steps that began with them are over.')
}

const lineOf = ({ column, done, total, unreadable }: Progress): string =>
  `${column}: ${done} of ${total}${unreadable === 0 ? '' : `, ${unreadable} cannot be opened`}`
