import type { Config } from '../config/settings.ts'
import type { DatabaseLocation } from './open.ts'

/** Where a configuration has the database; `directory` is where an embedded one is kept. */
export const locationOf = (
  { databaseUrl: url, databaseSuperuser }: Pick<Config, 'databaseUrl' | 'databaseSuperuser'>,
  directory: string,
): DatabaseLocation => (url === undefined ? { directory } : { url, allowsSuperuser: databaseSuperuser === 'allowed' })
