import { readSettings } from './settings.ts'

/** The runner as a program: configured by its environment, it claims steps over HTTP and carries them out. */
const settings = readSettings(process.env)
process.stdout.write(`A runner of ${settings.url} that works in ${settings.directory}.\n`)
