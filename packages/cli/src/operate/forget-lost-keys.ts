import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { forgetLostKeys } from '@sluice/server/platform/crypto/known-keys'
import { confirm } from '../confirm.ts'
import { withDatabase } from './with-database.ts'

/** Allows the service to start although a key that encrypted data in the database is lost. */
export async function runForgetLostKeys(sources: ConfigSources, yes: boolean): Promise<void> {
  const config = loadCommandConfig(sources)
  const question =
    'Values that were encrypted with missing keys can no longer be decrypted. Continue without these keys?'
  if (!yes && !(process.stdin.isTTY && (await confirm(question)))) {
    throw new Error('Nothing was changed. Answer with y, or give --yes.')
  }
  const count = await withDatabase(config, ({ db, keys }) => forgetLostKeys(db, keys))
  console.log(count === 0 ? 'No key is lost.' : `Forgot ${count} ${count === 1 ? 'key' : 'keys'}. ${wayOn}`)
}

const wayOn =
  'What they sealed stays where it is: should a key be found, put it into SLUICE_ENCRYPTION_KEYS. Without it, set ' +
  'sensitive default values anew, connect git hosts again, and import what lost its state. `sluice reseal` counts what ' +
  'cannot be opened.'
