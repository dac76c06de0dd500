import type { Config } from './settings.ts'

/** Returns the public address of this server, as far as it is known before the server listens. */
export const ownAddress = ({ publicUrl, host, port }: Config): string => publicUrl ?? `http://${host}:${port}`

/** Returns a function that returns the address of a page of the console. */
export const consoleLinks =
  (config: Config) =>
  (page: string): string =>
    `${ownAddress(config)}/console/${page}`
