import type { Config } from '../config/settings.ts'
import type { DatabaseLocation } from './open.ts'

type Wanted = Pick<Config, 'databaseUrl' | 'databaseSuperuser' | 'databaseConnections'>

/** Where a configuration has the database; `directory` is where an embedded one is kept. */
export const locationOf = (
  { databaseUrl: url, databaseSuperuser, databaseConnections: connections }: Wanted,
  directory: string,
): DatabaseLocation =>
  url === undefined ? { directory } : { url, allowsSuperuser: databaseSuperuser === 'allowed', connections }
