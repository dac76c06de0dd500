import { openIsolation } from './isolation/open.ts'
import { readIsolationSettings } from './isolation/settings.ts'
import { readSettings } from './settings.ts'

/** The runner as a program: configured by its environment, it claims steps over HTTP and carries them out. */
const settings = readSettings(process.env)
const isolation = await openIsolation(readIsolationSettings(process.env, settings))
const notes = isolation.notes.map((note) => `; ${note}`).join('')
process.stdout.write(
  `A runner of ${settings.url} that works in ${settings.directory}. Isolation: ${isolation.kind}, network: ${isolation.network}${notes}.\n`,
)
