import { makeOwnerToken } from '@sluice/server/identity/organizations/owner-token'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { withDatabase } from './with-database.ts'

/** Creates an API key for an owner, for operators with database access whose first key was lost. */
export async function runOwnerToken(sources: ConfigSources, organization: string | undefined): Promise<void> {
  const { token, name, email } = await withDatabase(loadCommandConfig(sources), ({ db }) =>
    makeOwnerToken(db, organization),
  )
  // Printed alone on stdout, for use as TOKEN=$(sluice owner-token)
  console.error(`An API key of ${email}, owner of ${name}, shown this once:`)
  console.log(token)
}
