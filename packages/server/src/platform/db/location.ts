import type { Config } from '../config/settings.ts'
import type { DatabaseLocation } from './open.ts'

type Wanted = Pick<Config, 'databaseUrl' | 'databaseSuperuser' | 'databaseConnections'>

/** Returns the location of the database in a configuration. `directory` is that of an embedded one. */
export const locationOf = (
  { databaseUrl: url, databaseSuperuser, databaseConnections: connections }: Wanted,
  directory: string,
): DatabaseLocation =>
  url === undefined ? { directory } : { url, allowsSuperuser: databaseSuperuser === 'allowed', connections }
