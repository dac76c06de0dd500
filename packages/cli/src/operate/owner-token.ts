import { makeOwnerToken } from '@sluice/server/identity/organizations/owner-token'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { withDatabase } from './with-database.ts'

/** Makes an API key for an owner, for whoever has the database: the first one was lost, or never seen. */
export async function runOwnerToken(sources: ConfigSources, organization: string | undefined): Promise<void> {
  const { token, name, email } = await withDatabase(loadCommandConfig(sources), ({ db }) =>
    makeOwnerToken(db, organization),
  )
  // Alone on its stream, so that it can be put where it is needed: TOKEN=$(sluice owner-token)
  console.error(`An API key of ${email}, owner of ${name}, shown this once:`)
  console.log(token)
}
